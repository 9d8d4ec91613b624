import type { Diagnostic } from '@millforge/contracts';
import type { CustomToolManifest } from '../custom-tool-manifest.ts';
import type { CustomToolPolicy } from '../custom-tool-policy.ts';
import { found } from '../diagnostics.ts';

/** Checks what concerns the manifest as a whole. */
export function checkSource(
  manifest: CustomToolManifest,
  policy: CustomToolPolicy,
  sourceSha256: string,
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const limit = policy.max_tools;
  if (manifest.tools.length > limit) {
    diagnostics.push(found.tooManyTools({ path: '/tools', fields: { limit } }));
  }
  diagnostics.push(
    ...checkExpected({
      path: '/expected_source_sha256',
      hash: 'source_sha256',
      expected: manifest.expected_source_sha256,
      actual: sourceSha256,
      isRequired: policy.require_expected_hashes,
    }),
  );
  const producers = new Map<string, string>();
  for (const { tool_id, produced_artifact_ids } of manifest.tools) {
    for (const artifact_id of produced_artifact_ids) {
      const first = producers.get(artifact_id);
      if (first === undefined) producers.set(artifact_id, tool_id);
      else {
        const fields = { artifact_id, first_tool_id: first };
        diagnostics.push(found.duplicateArtifact({ path: '/tools', fields }));
      }
    }
  }
  return diagnostics;
}

/** Holds a digest against the expected one, which may have to be there. */
export function checkExpected(check: {
  readonly path: string;
  readonly hash: string;
  readonly expected: string | null;
  readonly actual: string;
  readonly isRequired: boolean;
}): readonly Diagnostic[] {
  const { path, hash, expected, actual } = check;
  if (expected === null) {
    return check.isRequired ? [found.hashMissing({ path, fields: { hash } })] : [];
  }
  return expected === actual ? [] : [found.hashMismatch({ path, fields: { hash, actual } })];
}
