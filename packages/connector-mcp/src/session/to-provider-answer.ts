import type { ProviderAnswer } from '@millforge/connectors';
import { type AnyResult, isRecord } from './any-result.ts';
import { toPlainJson } from './to-plain-json.ts';
import { toWellFormed } from './well-formed.ts';

/** What the result of a call says: its words, its structured part, and whether it is a failure. */
export function toProviderAnswer(result: AnyResult): ProviderAnswer {
  const { content = [], structuredContent, isError } = result;
  const isFailure = isError === true;
  if (!Array.isArray(content)) return senseless('Its result has no content.');
  const text = content.map(wordsOf).join('\n');
  if (structuredContent === undefined || structuredContent === null) {
    return { kind: 'answered', isError: isFailure, text, structured: null };
  }
  const structured = toPlainJson(structuredContent);
  if (!isRecord(structured)) return senseless('Its structured result is no object.');
  return { kind: 'answered', isError: isFailure, text, structured };
}

function senseless(message: string): ProviderAnswer {
  return { kind: 'failed', reason: 'protocol', sent: true, message };
}

/** One part of a result in words; what is no text is named. */
function wordsOf(part: unknown): string {
  if (!isRecord(part)) return '[something that is no content]';
  const { type, text, data, mimeType, uri, resource } = part;
  if (type === 'text' && typeof text === 'string') return toWellFormed(text);
  if (type === 'resource' && isRecord(resource)) {
    const { text: inner, uri: place } = resource;
    return typeof inner === 'string' ? toWellFormed(inner) : `[resource ${nameOf(place)}]`;
  }
  if (type === 'resource_link') return `[resource ${nameOf(uri)}]`;
  const size = typeof data === 'string' ? `, ${Math.floor((data.length * 3) / 4)} bytes` : '';
  return `[${nameOf(type)} ${nameOf(mimeType)}${size}]`;
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? toWellFormed(value.slice(0, 200)) : 'unnamed';
}
