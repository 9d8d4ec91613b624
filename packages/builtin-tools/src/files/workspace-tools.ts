import type { JsonObject, LiveToolContext, ToolRefusal, ToolResult } from '@millforge/contracts';
import { optionalString, stringArgument } from '../arguments.ts';
import type { BuiltinToolDefinition } from '../define-builtin-tool.ts';
import type { PathPolicy, Workspace } from '../paths/create-path-policy.ts';
import { answering, checking } from '../tool-faults.ts';
import { MAX_GLOB } from './compile-glob.ts';

/** The stages of a tool that only looks at one path of the workspace. */
type ReadingStages = Pick<BuiltinToolDefinition, 'check' | 'reach' | 'run'>;

/** How a reading tool finds its path, and what it does with the open workspace. */
export interface Reading {
  readonly policy: PathPolicy;
  /** Name of the argument that holds the path. */
  readonly argument: string;
  /** What an absent argument stands for; absent where it is required. */
  readonly fallback?: string;
  /** Whether the path may be a folder: `.` and all below it. */
  readonly isFolder: boolean;
  act(workspace: Workspace, input: JsonObject, context: LiveToolContext): Promise<ToolResult>;
}

/** Makes the stages of a tool that reads one path: its text is checked purely, its reach is known. */
export function readingStages(reading: Reading): ReadingStages {
  const { policy, argument, fallback, isFolder } = reading;
  const pathOf = (input: JsonObject): string =>
    fallback === undefined
      ? stringArgument(input, argument)
      : (optionalString(input, argument) ?? fallback);
  return {
    check: (input) =>
      globFault(input) ?? checking(() => policy.checkRead(pathOf(input), { allowDot: isFolder })),
    reach(input) {
      const { text } = policy.checkRead(pathOf(input), { allowDot: isFolder });
      return { paths: [isFolder ? `${text === '' ? '.' : text}/` : text] };
    },
    run: (input, context) =>
      answering(context.signal, async () => {
        await using workspace = await policy.openWorkspace(context.workspace);
        return await reading.act(workspace, input, context);
      }),
  };
}

function globFault(input: JsonObject): ToolRefusal | null {
  if ((optionalString(input, 'glob') ?? '').length <= MAX_GLOB) return null;
  const message = `glob must be at most ${MAX_GLOB} characters.`;
  return { kind: 'refused', code: 'invalid_arguments', message };
}
