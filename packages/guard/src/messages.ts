export type { ModelTool, ModelToolCall } from '@millforge/contracts';
export { type HistoryMend, type MendedHistory, mendHistory } from './history/mend-history.ts';
export { type Nudge, nudgeText } from './nudge-text.ts';
export { exampleArguments } from './prompt/example-arguments.ts';
export { respondTool } from './prompt/respond-tool.ts';
export { toolInstructions, toPromptMessages } from './prompt/to-prompt-messages.ts';
