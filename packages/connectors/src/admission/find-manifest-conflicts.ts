import { type Diagnostic, formatToolReference } from '@millforge/contracts';
import { found } from '../diagnostics.ts';
import type { ConnectorAdmissionManifest } from './admission-manifest.ts';

/** What the parts of a manifest say against each other, one finding for every name that is taken twice. */
export function findManifestConflicts(manifest: ConnectorAdmissionManifest): readonly Diagnostic[] {
  const { selected_tools: selected, denied_tools: denied } = manifest;
  const names = selected.map((tool) => tool.provider_tool_name);
  const report = found.manifest;
  return [
    ...repeated(names).map((name) =>
      report.documentInvalid({
        path: '/',
        fields: {
          model: 'ConnectorAdmissionManifest',
          expected: `one selection of ${name}, not several`,
        },
      }),
    ),
    ...repeated(denied.map((tool) => tool.provider_tool_name)).map((name) =>
      denial(name, 'it is denied twice'),
    ),
    ...denied
      .filter((tool) => names.includes(tool.provider_tool_name))
      .map((tool) => denial(tool.provider_tool_name, 'the manifest also admits it')),
    ...repeated(
      selected.map((tool) =>
        formatToolReference({ toolId: tool.tool_id, toolVersion: tool.tool_version }),
      ),
    ).map((tool) => report.duplicateAdmittedTool({ path: '/', fields: { tool } })),
    ...repeated(selected.map((tool) => tool.model_tool_name)).map((name) =>
      report.duplicateModelToolName({ path: '/', fields: { model_tool_name: name } }),
    ),
    ...repeated(selected.map((tool) => tool.implementation_id)).map((id) =>
      report.duplicateImplementationId({ path: '/', fields: { implementation_id: id } }),
    ),
  ];
}

function denial(name: string, reason: string): Diagnostic {
  const fields = { provider_tool_name: name, reason };
  return found.manifest.deniedToolInvalid({ path: '/', fields });
}

/** What stands in a list more than once; an empty text is a fault that was told already. */
function repeated(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].filter(([text, count]) => count > 1 && text !== '').map(([text]) => text);
}
