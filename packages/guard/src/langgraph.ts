export {
  createGraphGuard,
  type GraphGuard,
  type GraphGuardOptions,
  type GraphGuardRecord,
  type GraphState,
  type GraphUpdate,
  type MessageUpdate,
} from './adapters/langgraph/graph-guard.ts';
