export {
  createGraphGuard,
  type GraphGuard,
  type GraphGuardOptions,
  type GraphGuardRecord,
  type GraphState,
  type GraphUpdate,
} from './adapters/langgraph/graph-guard.ts';
export type {
  ContentBlock,
  MessageUpdate,
  ToolCallUpdate,
} from './adapters/langgraph/message-update.ts';
