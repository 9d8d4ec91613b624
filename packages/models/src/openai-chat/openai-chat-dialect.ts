import type { Dialect } from '../client/dialect.ts';
import { assembleChatStream } from './assemble-stream.ts';
import { chatContinuation, decodeReply } from './decode-reply.ts';
import { createRequestEncoder } from './encode-request.ts';

/** Chat Completions, as OpenAI began it and Ollama, llama.cpp, vLLM, LM Studio and gateways speak it. */
export const openAiChatDialect: Dialect = {
  path: '/chat/completions',
  headers: {},
  createEncoder: createRequestEncoder,
  decode: decodeReply,
  continuation: chatContinuation,
  createAssembler: assembleChatStream,
};
