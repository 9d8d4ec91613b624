export { chatReply } from './adapters/openai-chat/chat-reply.ts';
export { type ChatCollector, createChatCollector } from './adapters/openai-chat/collect-chat.ts';
export {
  type ChatCreate,
  type ChatGuardOptions,
  type ChatMessage,
  type ChatRequest,
  type GuardedChat,
  guardedChat,
} from './adapters/openai-chat/guarded-chat.ts';
