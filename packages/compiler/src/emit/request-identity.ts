import { digest } from '@millforge/contracts';

/** The five facts by which a request is told from others; roots, directory and grants are none of them. */
export interface RequestIdentity {
  /** Id of the request. */
  readonly request_id: string;
  /** Path of the source as it was asked for. */
  readonly source_path: string;
  /** Notation of the source. */
  readonly source_format: 'yaml' | 'json';
  /** Id that the harness has to have. */
  readonly expected_harness_id: string;
  /** Stage that is compiled for. */
  readonly stage_kind_id: string;
}

/** Digest of a request's identity: canonical JSON of the five facts and no other. */
export function requestIdentityDigest(identity: RequestIdentity): string {
  const { request_id, source_path, source_format, expected_harness_id, stage_kind_id } = identity;
  return digest({ request_id, source_path, source_format, expected_harness_id, stage_kind_id });
}
