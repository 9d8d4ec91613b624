/** What this package throws. */
export type ConnectorMcpErrorCode = 'connector-mcp/invalid-options';
