export * from '@millforge/connectors/testing';
