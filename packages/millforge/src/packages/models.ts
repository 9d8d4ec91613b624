export * from '@millforge/models';
