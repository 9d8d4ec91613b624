import {
  type ConnectorAdmissionManifest,
  type ConnectorToolSelection,
  draftManifest,
  type ManifestDraft,
  readAdmissionManifest,
  readDiscoverySnapshot,
  type ToolProposal,
  updateManifest,
} from '@millforge/connectors';
import { documentError, usageError } from '../cli-error.ts';
import { type ConnectorFolder, openConnectorFolder } from '../connect/connector-folder.ts';
import { good } from '../connect/good.ts';
import { manifestDocument, proposalDocuments } from '../connect/manifest-document.ts';
import { printChanges } from '../connect/print-changes.ts';
import { asCalled } from '../output/own-name.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { DATA_OPTION, findData } from './data-place.ts';

/** Drafts the manifest of a connector: everything denied, risks marked. */
export const connectDraftCommand: Command = {
  command: 'connect draft',
  positionals: ['NAME'],
  summary: 'draft a manifest that denies all but what is selected, with the risks of each tool',
  example: 'millforge connect draft files --select read_text_file',
  options: {
    select: {
      value: 'TOOL',
      isRepeatable: true,
      help: 'take the proposal for this tool into the manifest',
    },
    force: { value: null, help: 'begin anew: forget what the manifest that is there decides' },
    ...DATA_OPTION,
  },
  async run({ host, createMillforge }, args) {
    const folder = await openConnectorFolder(host.cwd, args.positionals[0] ?? '');
    if (!(await folder.has('discovery.json'))) {
      const how = `'millforge connect discover ${folder.name}' asks the server`;
      throw usageError(`There is no discovery at ${folder.path('discovery.json')}; ${how}.`);
    }
    const place = folder.path('discovery.json');
    const snapshot = good(readDiscoverySnapshot(await folder.read('discovery.json')), place);
    const kept = args.has('force') ? null : await keptManifest(folder);
    const { directory } = await findData(host, args);
    await using millforge = createMillforge({ dataDir: directory, env: host.env });
    const modelToolNames = millforge.snapshot.records.flatMap((record) => {
      const tool = millforge.snapshot.findTool(record.tool_id, record.tool_version);
      return tool === null ? [] : [tool.descriptor.model_tool_name];
    });
    const draft = draftManifest(snapshot, { modelToolNames });
    const updated =
      kept === null ? { manifest: draft.manifest, changes: [] } : updateManifest(kept, draft);
    const before = updated.manifest.selected_tools.map((one) => one.provider_tool_name);
    const added = [...new Set(args.list('select'))]
      .filter((name) => !before.includes(name))
      .map((name) => selectionOf(draft, name));
    const manifest = withSelected(updated.manifest, added);
    await folder.write('proposals.json', proposalDocuments(draft.proposals));
    await folder.write('manifest.json', manifestDocument(manifest));
    if (!(await folder.has('policy.json'))) await folder.write('policy.json', policyFor(draft));
    printChanges(host.stdout, updated.changes);
    for (const proposal of draft.proposals) print(host, proposal, manifest);
    writeLine(
      host.stdout,
      `Written to ${folder.path('manifest.json')}; proposals.json has a selection for each tool.`,
    );
    writeLine(host.stderr, asCalled(nextStep(folder, manifest), host.env));
    return 0;
  },
};

/** The manifest that is there, whose decisions are kept. */
async function keptManifest(folder: ConnectorFolder): Promise<ConnectorAdmissionManifest | null> {
  if (!(await folder.has('manifest.json'))) return null;
  const read = readAdmissionManifest(await folder.read('manifest.json'), { mayBeEmpty: true });
  if (read.ok) return read.value;
  const [first] = read.diagnostics;
  throw documentError(
    `${folder.path('manifest.json')} is wrong at ${first?.path ?? '/'}: ${first?.message ?? 'unknown'} Mend it, or let --force replace it.`,
  );
}

/** What has to be done before anything is let in. */
function nextStep(folder: ConnectorFolder, manifest: ConnectorAdmissionManifest): string {
  const { name } = folder;
  if (manifest.selected_tools.length === 0) {
    return `Nothing is selected; 'millforge connect draft ${name} --select TOOL' selects a tool.`;
  }
  return `Say in ${folder.path('manifest.json')} what each selected tool does, at its 'description'; then 'millforge connect admit ${name}' lets it in.`;
}

function selectionOf({ proposals }: ManifestDraft, name: string): ConnectorToolSelection {
  const proposal = proposals.find((one) => one.provider_tool_name === name);
  if (proposal === undefined) {
    const names = proposals.map((one) => one.provider_tool_name).join(', ');
    throw usageError(`The server has no tool '${name.slice(0, 40)}'; it has ${names || 'none'}.`);
  }
  const { selection, input } = proposal;
  if (selection === null) {
    throw usageError(`No selection can be proposed for ${name}: ${input.fault ?? 'unknown'}.`);
  }
  return selection;
}

function withSelected(
  manifest: ConnectorAdmissionManifest,
  added: readonly ConnectorToolSelection[],
): ConnectorAdmissionManifest {
  const names = added.map((one) => one.provider_tool_name);
  const denied = manifest.denied_tools.filter((one) => !names.includes(one.provider_tool_name));
  return {
    ...manifest,
    selected_tools: [...manifest.selected_tools, ...added],
    denied_tools: denied,
  };
}

/** Allows what the proposals ask for, and nothing beside. */
function policyFor({ proposals }: ManifestDraft): object {
  const capabilities = proposals.flatMap(({ selection }) => selection?.required_capabilities ?? []);
  return {
    allowed_capability_ids: [...new Set(capabilities)].toSorted(),
    max_description_utf8: 2048,
  };
}

function print(
  host: CliHost,
  { provider_tool_name: name, risks, input }: ToolProposal,
  { selected_tools: selected }: ConnectorAdmissionManifest,
): void {
  const isSelected = selected.some((one) => one.provider_tool_name === name);
  writeLine(host.stdout, `${name}  ${isSelected ? 'selected' : 'denied'}`);
  for (const { kind, message } of risks) writeLine(host.stdout, `  ${kind}: ${message}`);
  for (const change of input.changes) {
    writeLine(host.stdout, `  schema ${change.path}: ${change.kind}`);
  }
}
