import { isPlainObject } from '../document/plain-object.ts';
import type { TranscriptMessage } from './find-transcript-problems.ts';

/** The messages of a request body as a transcript, whichever of the two APIs it speaks. */
export function toTranscript(messages: readonly unknown[]): readonly TranscriptMessage[] {
  return messages.flatMap((message): readonly TranscriptMessage[] => {
    if (!isPlainObject(message)) return [{ role: 'none' }];
    const { role, content } = message;
    if (!Array.isArray(content) || !content.some(isToolBlock)) {
      return [{ ...message, role: typeof role === 'string' ? role : 'none' }];
    }
    const blocks = content.filter(isPlainObject);
    return role === 'assistant' ? [assistantOf(blocks)] : userOf(blocks);
  });
}

type Block = { readonly [name: string]: unknown };

function isToolBlock(block: unknown): boolean {
  return isPlainObject(block) && (block['type'] === 'tool_use' || block['type'] === 'tool_result');
}

function assistantOf(blocks: readonly Block[]): TranscriptMessage {
  return {
    role: 'assistant',
    content: blocks.filter((block) => block['type'] === 'text'),
    tool_calls: blocks
      .filter((block) => block['type'] === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
  };
}

/** Results stand before anything else that the user says. */
function userOf(blocks: readonly Block[]): readonly TranscriptMessage[] {
  const said = blocks.filter((block) => block['type'] !== 'tool_result');
  const results = blocks
    .filter((block) => block['type'] === 'tool_result')
    .map(({ tool_use_id, content }) => ({ role: 'tool', tool_call_id: tool_use_id, content }));
  return said.length === 0 ? results : [...results, { role: 'user', content: said }];
}
