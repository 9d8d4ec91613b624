export * from '@millforge/guard/openai-agents';
