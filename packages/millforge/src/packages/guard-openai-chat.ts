export * from '@millforge/guard/openai-chat';
