export * from '@millforge/sandbox';
