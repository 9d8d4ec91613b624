export * from '@millforge/kernel/publication';
