import type { Tool } from '@millforge/contracts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import type { CommandContext } from '../commands/command.ts';
import { openProjectConnectors } from '../connect/project-connectors.ts';
import { openProjectCustomTools } from './project-custom-tools.ts';

/** Everything that a project brings: tools of admitted servers, and those that it declares. */
export interface ProjectTools extends AsyncDisposable {
  /** The tools. */
  readonly tools: readonly Tool[];
}

/** Opens the tools of a project that somebody vouched for; nothing is started before one is called. */
export async function openProjectTools(
  context: CommandContext,
  args: ParsedArguments,
  project: string,
): Promise<ProjectTools> {
  const custom = await openProjectCustomTools(context, args, project);
  try {
    const connectors = await openProjectConnectors(context, args, project);
    return {
      tools: [...connectors.tools, ...custom.tools],
      async [Symbol.asyncDispose]() {
        await connectors[Symbol.asyncDispose]();
        await custom[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await custom[Symbol.asyncDispose]();
    throw error;
  }
}
