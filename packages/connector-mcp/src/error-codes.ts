/** What this package throws. */
export type ConnectorMcpErrorCode =
  /** Options that cannot be used. */
  | 'connector-mcp/invalid-options'
  /** Nobody was let in by a service or its authorization server. */
  | 'connector-mcp/login-failed';
