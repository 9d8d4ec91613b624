import { MillforgeError, type Tool } from '@millforge/contracts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { documentError } from '../cli-error.ts';
import type { CommandContext } from '../commands/command.ts';
import { trustHint } from '../commands/trust-hint.ts';
import { readTrustDirectory } from '../config/effective-config.ts';
import { openTrustStore } from '../config/trust-store.ts';
import { writeLine } from '../output/terminal.ts';
import type { OpenCustomTools } from '../port/custom-tools-port.ts';
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
    const how = `${trustHint(host, args, project)} accepts them, --trust-project uses them once`;
    writeLine(
      host.stderr,
      `The custom tools of ${folder.path} are not used, nobody has accepted them; ${how}.`,
    );
    return NONE;
  }
  const opened = openQuietly(context, folder);
  if (typeof opened === 'string') throw documentError(opened);
  for (const one of opened.leftOut) {
    writeLine(host.stderr, `The custom tool ${leftOutLine(one)}.`);
  }
  return opened;
}

/** What the tools of a folder are, whoever wrote them. */
export interface CustomToolsDescription {
  /** One line for each. */
  readonly lines: readonly string[];
  /** One sentence about what keeps all of them from being used; null where nothing does. */
  readonly fault: string | null;
}

/** Says what the tools of a folder are; nothing of them runs. */
export async function describeCustomTools(
  context: CommandContext,
  folder: CustomToolsFolder,
): Promise<CustomToolsDescription> {
  const opened = openQuietly(context, folder);
  if (typeof opened === 'string') {
    return { lines: [`custom tools that cannot be used (${opened})`], fault: opened };
  }
  await using tools = opened;
  const lines = tools.tools.map(({ approval = 'none', descriptor }, at) => {
    const { required_capabilities: needs, tool_id: id, tool_version: version } = descriptor;
    const asked = needs.length === 0 ? '' : `, needs ${needs.join(', ')}`;
    const agreed = approval === 'none' ? 'asks nobody' : `approval ${approval}`;
    return `custom tool ${id}@${version} (${tools.kinds[at]}, ${descriptor.side_effect_class}${asked}, ${agreed})`;
  });
  const others = tools.leftOut.map((one) => `custom tool ${leftOutLine(one)}`);
  return { lines: [...lines, ...others], fault: null };
}

function leftOutLine({
  toolId,
  toolVersion,
  implementationId,
}: OpenCustomTools['leftOut'][number]): string {
  return `${toolId}@${toolVersion} is left out: its code is the function ${implementationId} of a program, and here only code of the manifest runs`;
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
