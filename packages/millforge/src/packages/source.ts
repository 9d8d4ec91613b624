export * from '@millforge/source';
