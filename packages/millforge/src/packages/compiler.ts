export * from '@millforge/compiler';
