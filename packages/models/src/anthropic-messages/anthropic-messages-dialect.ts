import type { Dialect } from '../client/dialect.ts';
import { assembleMessageStream } from './assemble-stream.ts';
import { decodeMessage, thinkingBlocks } from './decode-message.ts';
import { createMessagesEncoder } from './encode-request.ts';

/** The Messages API of Anthropic, which llama.cpp, LM Studio and others speak beside their own. */
export const anthropicMessagesDialect: Dialect = {
  path: '/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  createEncoder: createMessagesEncoder,
  decode: decodeMessage,
  continuation: thinkingBlocks,
  createAssembler: assembleMessageStream,
};
