import type { ModelMessage } from '@millforge/contracts';
import { cutText } from './cut-text.ts';
import { findPassages } from './find-passages.ts';

/**
 * Takes out of a server's words what it repeats of the conversation, and cuts the rest to one line.
 *
 * Some servers quote the input that they refuse. Passages of fewer than 24 characters stay: that long
 * are names, numbers and idioms, which an explanation may need.
 */
export function withoutEchoes(text: string, conversation: readonly ModelMessage[]): string {
  const line = cutText(oneLine(text), MAX_LINE_CHARS);
  const echoed = findPassages(line, { in: spoken(conversation), chars: MIN_ECHO_CHARS });
  let result = '';
  let kept = 0;
  for (const { start, end } of echoed) {
    result += `${line.slice(kept, start)}…`;
    kept = end;
  }
  return result + line.slice(kept);
}

function* spoken(conversation: readonly ModelMessage[]): Iterable<string> {
  for (const message of conversation) {
    if (message.content !== null) yield oneLine(message.content);
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    for (const call of calls) yield oneLine(call.arguments);
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const MIN_ECHO_CHARS = 24;
const MAX_LINE_CHARS = 400;
