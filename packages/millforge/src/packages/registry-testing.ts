export * from '@millforge/registry/testing';
