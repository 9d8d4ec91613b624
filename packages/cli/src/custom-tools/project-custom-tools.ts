import { MillforgeError, type Tool } from '@millforge/contracts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { documentError } from '../cli-error.ts';
import type { CommandContext } from '../commands/command.ts';
import { readTrustDirectory } from '../config/effective-config.ts';
import { openTrustStore } from '../config/trust-store.ts';
import type { OpenCustomTools } from '../millforge-port.ts';
import { writeLine } from '../output/terminal.ts';
import {
  areCustomToolsTrusted,
  type CustomToolsFolder,
  readCustomToolsFolder,
} from './custom-tools-folder.ts';

/** Tools that a project declares; their code runs in the sandbox. */
export interface ProjectCustomTools extends AsyncDisposable {
  /** The tools. */
  readonly tools: readonly Tool[];
}

/**
 * Opens the custom tools of a project that somebody vouched for; of others one line is told, and nothing used.
 *
 * @throws `cli/document` for tools in force whose manifest is wrong.
 */
export async function openProjectCustomTools(
  context: CommandContext,
  args: ParsedArguments,
  project: string,
): Promise<ProjectCustomTools> {
  const { host } = context;
  const folder = await readCustomToolsFolder(project);
  if (folder === null) return NONE;
  const store = openTrustStore(await readTrustDirectory(args.text('data'), host));
  if (!args.has('trust-project') && !(await areCustomToolsTrusted(folder, store))) {
    const how = `'millforge trust' accepts them, --trust-project uses them once`;
    writeLine(
      host.stderr,
      `The custom tools of ${folder.path} are not used, nobody has accepted them; ${how}.`,
    );
    return NONE;
  }
  return openCompiled(context, folder);
}

/** One line for each tool of a folder, whoever wrote it; what is wrong with one is a line, too. */
export async function describeCustomTools(
  context: CommandContext,
  folder: CustomToolsFolder,
): Promise<readonly string[]> {
  const opened = openQuietly(context, folder);
  if (typeof opened === 'string') return [`custom tools that cannot be used (${opened})`];
  await using tools = opened;
  return tools.tools.map(({ approval = 'none', descriptor }, at) => {
    const { required_capabilities: needs, tool_id: id, tool_version: version } = descriptor;
    const asked = needs.length === 0 ? '' : `, needs ${needs.join(', ')}`;
    const agreed = approval === 'none' ? 'asks nobody' : `approval ${approval}`;
    return `custom tool ${id}@${version} (${tools.kinds[at]}, ${descriptor.side_effect_class}${asked}, ${agreed})`;
  });
}

function openCompiled(context: CommandContext, folder: CustomToolsFolder): ProjectCustomTools {
  const opened = openQuietly(context, folder);
  if (typeof opened === 'string') throw documentError(opened);
  return opened;
}

/** The tools, or one sentence that says where what is wrong. */
function openQuietly(
  { host, openCustomTools }: CommandContext,
  { manifests, policy }: CustomToolsFolder,
): OpenCustomTools | string {
  let opened: ReturnType<typeof openCustomTools>;
  try {
    opened = openCustomTools({ manifests, policy, env: host.env });
  } catch (error) {
    if (!MillforgeError.is(error)) throw error;
    return error.message;
  }
  if (opened.ok) return opened;
  const [first] = opened.diagnostics;
  const line = first?.span === undefined ? '' : `:${first.span.line}`;
  return `${opened.path}${line} is wrong at ${first?.path ?? '/'}: ${first?.code ?? ''} ${first?.message ?? 'unknown'}`;
}

const NONE: ProjectCustomTools = { tools: [], async [Symbol.asyncDispose]() {} };
