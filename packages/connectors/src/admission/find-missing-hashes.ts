import type { Diagnostic } from '@millforge/contracts';
import { found } from '../diagnostics.ts';
import { childPath } from '../documents/field-reader.ts';
import type { AdmissionDocuments } from './admission-documents.ts';

/** Which expected digests are not given although the policy wants all of them. */
export function findMissingHashes({ manifest, policy }: AdmissionDocuments): readonly Diagnostic[] {
  if (!policy.require_expected_hashes) return [];
  return [
    ...lacking(manifest, ''),
    ...manifest.selected_tools.flatMap((tool) =>
      lacking(tool, childPath('/selected_tools', tool.provider_tool_name)),
    ),
  ];
}

function lacking(fields: object, path: string): readonly Diagnostic[] {
  return Object.entries(fields)
    .filter(([key, value]) => key.startsWith('expected_') && value === null)
    .map(([key]) =>
      found.admission.hashRequired({ path: `${path}/${key}`, fields: { field: key } }),
    );
}
