import { fileNamePart } from './file-name-part.ts';

/** What is known about a compilation when its report is named. */
export interface ReportSubject {
  /** Digest of the request's identity. */
  readonly requestIdentitySha256: string;
  /** The harness and the digest that stands for it, plan before document; null when nothing is known. */
  readonly harness: {
    /** Id of the harness. */
    readonly id: string;
    /** Version of the harness. */
    readonly version: number;
    /** Digest of the plan, or of the document where there is no plan. */
    readonly sha256: string;
  } | null;
}

/**
 * Names the report of a compilation, at most 255 bytes:
 * `<harness id>@<version>.<digest>.request-<request digest>.diagnostics.json`, or
 * `request-<request digest>.diagnostics.json` where nothing is known about the harness.
 */
export function reportFileName({ requestIdentitySha256, harness }: ReportSubject): string {
  const request = `request-${requestIdentitySha256}.diagnostics.json`;
  if (harness === null) return request;
  const rest = `@${harness.version}.${harness.sha256}.${request}`;
  return `${fileNamePart(harness.id, rest)}${rest}`;
}
