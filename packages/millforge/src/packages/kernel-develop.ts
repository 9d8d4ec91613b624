export * from '@millforge/kernel/develop';
