export * from '@millforge/guard/limits';
