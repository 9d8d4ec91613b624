export * from '@millforge/connectors';
