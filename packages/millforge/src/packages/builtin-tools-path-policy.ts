export * from '@millforge/builtin-tools/path-policy';
