export * from '@millforge/contracts';
