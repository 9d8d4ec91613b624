import { canonicalJson, deepFreeze, digest, type JsonObject, sha256 } from '@millforge/contracts';
import type { CustomToolDeclaration, CustomToolImplementation } from '../custom-tool-manifest.ts';
import type { ImplementationRecord } from '../custom-tool-record.ts';

/** The code behind a declaration, named by its digests; null for code that the manifest does not carry. */
export function resolveImplementation(
  declaration: CustomToolDeclaration,
): ImplementationRecord | null {
  const { implementation, implementation_id } = declaration;
  if (implementation === null) return null;
  const record = {
    kind: 'millforge.custom_tool.implementation.v1' as const,
    implementation_id,
    runtime_kind: implementation.kind,
    content_sha256: contentDigest(implementation),
    code: implementation,
    granted_host_functions: [] as const,
  };
  return deepFreeze({ ...record, implementation_sha256: implementationDigest(record) });
}

/** Digest of what is run: a source text, or a command line. */
export function contentDigest(code: CustomToolImplementation): string {
  return code.kind === 'sandboxed_js'
    ? sha256(code.source)
    : sha256(canonicalJson([...code.command], { newline: false }));
}

/** Digest of a record without its own digest. */
export function implementationDigest(
  record: Omit<ImplementationRecord, 'implementation_sha256'>,
): string {
  const { kind, implementation_id, runtime_kind, content_sha256, code } = record;
  return digest({
    kind,
    implementation_id,
    runtime_kind,
    content_sha256,
    // Limits and environment are plain texts and numbers; an interface has no index signature.
    code: { ...code } as object as JsonObject,
    granted_host_functions: [],
  });
}
