export * from '@millforge/compiler/publish';
