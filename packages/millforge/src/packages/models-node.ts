export * from '@millforge/models/node';
