export type { CustomToolsErrorCode } from './error-codes.ts';
export {
  type CustomToolRunOptions,
  createCustomToolImplementations,
  type HostFunction,
} from './run/create-custom-tool-implementations.ts';
