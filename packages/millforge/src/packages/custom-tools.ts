export * from '@millforge/custom-tools';
