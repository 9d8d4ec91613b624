import {
  type ConnectorToolSelection,
  draftManifest,
  type ManifestDraft,
  readDiscoverySnapshot,
  type ToolProposal,
} from '@millforge/connectors';
import { usageError } from '../cli-error.ts';
import { openConnectorFolder } from '../connect/connector-folder.ts';
import { good } from '../connect/live-connector.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { DATA_OPTION, findData } from './data-place.ts';

/** Drafts the manifest of a connector: everything denied, risks marked. */
export const connectDraftCommand: Command = {
  command: 'connect draft',
  positionals: ['NAME'],
  summary: 'draft a manifest that denies everything, with the risks of each tool',
  example: 'millforge connect draft files --select read_text_file',
  options: {
    select: {
      value: 'TOOL',
      isRepeatable: true,
      help: 'take the proposal for this tool into the manifest',
    },
    force: { value: null, help: 'replace a manifest that is there' },
    ...DATA_OPTION,
  },
  async run({ host, createMillforge }, args) {
    const folder = await openConnectorFolder(host.cwd, args.positionals[0] ?? '');
    const place = folder.path('discovery.json');
    const snapshot = good(readDiscoverySnapshot(await folder.read('discovery.json')), place);
    if (!args.has('force') && (await folder.has('manifest.json'))) {
      throw usageError(
        `There is a manifest at ${folder.path('manifest.json')}; --force replaces it.`,
      );
    }
    const { directory } = await findData(host, args);
    await using millforge = createMillforge({ dataDir: directory, env: host.env });
    const modelToolNames = millforge.snapshot.records.flatMap((record) => {
      const tool = millforge.snapshot.findTool(record.tool_id, record.tool_version);
      return tool === null ? [] : [tool.descriptor.model_tool_name];
    });
    const draft = draftManifest(snapshot, { modelToolNames });
    const selected = args.list('select').map((name) => selectionOf(draft, name));
    await folder.write('proposals.json', draft.proposals);
    await folder.write('manifest.json', withSelected(draft, selected));
    if (!(await folder.has('policy.json'))) {
      await folder.write('policy.json', policyFor(draft));
    }
    for (const proposal of draft.proposals) print(host, proposal);
    writeLine(
      host.stdout,
      `Written to ${folder.path('manifest.json')}; proposals.json has a selection for each tool.`,
    );
    return 0;
  },
};

function selectionOf({ proposals }: ManifestDraft, name: string): ConnectorToolSelection {
  const proposal = proposals.find((one) => one.provider_tool_name === name);
  if (proposal === undefined) throw usageError(`The server has no tool ${name.slice(0, 40)}.`);
  const { selection, input } = proposal;
  if (selection === null) {
    throw usageError(`No selection can be proposed for ${name}: ${input.fault ?? 'unknown'}.`);
  }
  return selection;
}

function withSelected({ manifest }: ManifestDraft, selected: readonly ConnectorToolSelection[]) {
  const names = selected.map((one) => one.provider_tool_name);
  const denied = manifest.denied_tools.filter((one) => !names.includes(one.provider_tool_name));
  return { ...manifest, selected_tools: selected, denied_tools: denied };
}

/** Allows what the proposals ask for, and nothing beside. */
function policyFor({ proposals }: ManifestDraft): object {
  const capabilities = proposals.flatMap(({ selection }) => selection?.required_capabilities ?? []);
  return {
    allowed_capability_ids: [...new Set(capabilities)].toSorted(),
    max_description_utf8: 2048,
  };
}

function print(host: CliHost, { provider_tool_name: name, risks, input }: ToolProposal): void {
  writeLine(host.stdout, `${name}  denied`);
  for (const { kind, message } of risks) writeLine(host.stdout, `  ${kind}: ${message}`);
  for (const change of input.changes) {
    writeLine(host.stdout, `  schema ${change.path}: ${change.kind}`);
  }
}
