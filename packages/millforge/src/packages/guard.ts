export * from '@millforge/guard';
