export * from '@millforge/custom-tools/run';
