import type { Redactor } from '@millforge/contracts';
import { boundText } from './bound-text.ts';

/** One line about a thrown value, without secrets and without paths of the host. */
export function describeError(
  error: unknown,
  context: { readonly redactor: Redactor; readonly workspace: string | null },
): string {
  const message = boundText(messageOf(error).replaceAll(/\s+/g, ' ').trim(), 2000).text;
  const { workspace } = context;
  const local =
    workspace === null || workspace === '/' ? message : message.replaceAll(`${workspace}/`, '');
  const clean = context.redactor.text(local).replaceAll(HOST_PATH, '[path]');
  return boundText(clean === '' ? 'no message' : clean, 500).text;
}

function messageOf(error: unknown): string {
  try {
    if (typeof error === 'string') return error;
    if (typeof error !== 'object' || error === null || !('message' in error)) return '';
    return typeof error.message === 'string' ? error.message : '';
  } catch {
    // A getter of the thrown value threw in turn: there is nothing to say about it.
    return '';
  }
}

/** An absolute path that begins a word; `a/b` and `https://…` are left alone. */
const HOST_PATH = /(?<![\w.:/-])(?:\/[^\s:;,'"()<>/]+)+\/?/g;
