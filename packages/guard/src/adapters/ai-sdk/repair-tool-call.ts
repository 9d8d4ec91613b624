import { toGuardTool } from '../../guard-tool.ts';
import { snapName } from '../../names/snap-name.ts';
import { toolIndex } from '../../names/tool-index.ts';
import { repairArguments } from '../../repair-arguments.ts';

/** The hook of `generateText` and `streamText` that is asked about a call the SDK cannot parse. */
export type AiSdkRepair = <
  Call extends { readonly toolName: string; readonly input: string },
>(failed: {
  readonly toolCall: Call;
  readonly tools: object;
  readonly inputSchema: (tool: { toolName: string }) => PromiseLike<object>;
}) => Promise<Call | null>;

/**
 * Repairs a call without asking the model: the spelling of its name, and its arguments without loss.
 *
 * For programs that do without the middleware. Gives null for what only the model can mend, which the SDK then
 * tells it.
 */
export const repairToolCall: AiSdkRepair = async ({ toolCall, tools, inputSchema }) => {
  const names = Object.keys(tools).map((name) => ({ name, description: '', parameters: null }));
  const toolName = snapName(toolCall.toolName, toolIndex(names), 'typos');
  if (toolName === null) return null;
  const tool = toGuardTool({ name: toolName, schema: await inputSchema({ toolName }) });
  const repaired = repairArguments(toolCall.input, tool.parameters, {
    keepUnknown: tool.isOpen ?? false,
  });
  return repaired.ok ? { ...toolCall, toolName, input: JSON.stringify(repaired.value) } : null;
};
