export * from '@millforge/models/testing';
