export * from '@millforge/guard/langgraph';
