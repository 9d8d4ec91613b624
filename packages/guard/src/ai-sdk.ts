export type {
  AiSdkGuardOptions,
  AiSdkModel,
  AiSdkParams,
  AiSdkPart,
  AiSdkResult,
  AiSdkStreamResult,
  AiSdkUsage,
} from './adapters/ai-sdk/ai-sdk-shapes.ts';
export {
  type AiSdkMiddleware,
  guardMiddleware,
} from './adapters/ai-sdk/guard-middleware.ts';
export { type AiSdkRepair, repairToolCall } from './adapters/ai-sdk/repair-tool-call.ts';
