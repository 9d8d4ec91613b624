export * from '@millforge/kernel/review';
