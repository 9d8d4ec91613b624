export * from '@millforge/guard/repair';
