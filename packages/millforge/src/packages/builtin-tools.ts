export * from '@millforge/builtin-tools';
