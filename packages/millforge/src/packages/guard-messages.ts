export * from '@millforge/guard/messages';
