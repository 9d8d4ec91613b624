export * from '@millforge/guard/rescue';
