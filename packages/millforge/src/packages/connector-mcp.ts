export * from '@millforge/connector-mcp';
