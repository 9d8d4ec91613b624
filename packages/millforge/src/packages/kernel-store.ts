export * from '@millforge/kernel/store';
