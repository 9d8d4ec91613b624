export {
  type AgentsEvent,
  type AgentsModel,
  type AgentsRequest,
  type AgentsResponse,
  type AgentsUsage,
} from './adapters/openai-agents/agents-shapes.ts';
export { type AgentsGuardOptions, guardModel } from './adapters/openai-agents/guard-model.ts';
