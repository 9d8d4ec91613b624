export * from '@millforge/kernel/artifacts';
