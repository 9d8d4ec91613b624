export type { ConnectorMcpErrorCode } from './error-codes.ts';
export { type McpHttpOptions, mcpHttpTransport } from './http/mcp-http-transport.ts';
export type { McpLimits } from './session/mcp-limits.ts';
export type { McpSecret } from './session/read-secret.ts';
export { type McpStdioOptions, mcpStdioTransport } from './stdio/mcp-stdio-transport.ts';
