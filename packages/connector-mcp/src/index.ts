export type { ConnectorMcpErrorCode } from './error-codes.ts';
export type { McpHttpOptions } from './http/mcp-http-address.ts';
export { mcpHttpTransport } from './http/mcp-http-transport.ts';
export { logInToMcp, type McpLoginRequest } from './login/log-in-to-mcp.ts';
export type { McpLoginOptions, McpLoginStore } from './login/mcp-login.ts';
export type { McpLimits } from './session/mcp-limits.ts';
export type { McpSecret } from './session/read-secret.ts';
export { type McpStdioOptions, mcpStdioTransport } from './stdio/mcp-stdio-transport.ts';
