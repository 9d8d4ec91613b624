export * from '@millforge/kernel';
