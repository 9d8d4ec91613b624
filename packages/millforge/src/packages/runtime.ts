export * from '@millforge/runtime';
