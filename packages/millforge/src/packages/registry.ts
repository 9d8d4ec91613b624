export * from '@millforge/registry';
