import type { ModelMessage } from '@millforge/contracts';
import { cutText } from './cut-text.ts';

/**
 * Takes out of a server's words what it repeats of the conversation, and cuts the rest to one line.
 *
 * Some servers quote the input that they refuse. Passages of fewer than 24 characters stay: that long
 * are names, numbers and idioms, which an explanation may need.
 */
export function withoutEchoes(text: string, conversation: readonly ModelMessage[]): string {
  const line = cutText(oneLine(text), MAX_LINE_CHARS);
  const spoken = oneLine(conversation.map(textOf).join('\n'));
  let result = '';
  for (let at = 0; at < line.length; ) {
    let end = at + MIN_ECHO_CHARS;
    if (end > line.length || !spoken.includes(line.slice(at, end))) {
      result += line.charAt(at);
      at += 1;
      continue;
    }
    while (end < line.length && spoken.includes(line.slice(at, end + 1))) end += 1;
    result += '…';
    at = end;
  }
  return result;
}

function textOf(message: ModelMessage): string {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return [message.content ?? '', ...calls.map((call) => call.arguments)].join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const MIN_ECHO_CHARS = 24;
const MAX_LINE_CHARS = 400;
