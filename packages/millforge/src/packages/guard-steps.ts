export * from '@millforge/guard/steps';
