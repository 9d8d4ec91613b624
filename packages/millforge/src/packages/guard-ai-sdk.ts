export * from '@millforge/guard/ai-sdk';
