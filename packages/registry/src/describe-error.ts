import type { Redactor } from '@millforge/contracts';
import { boundText } from './bound-text.ts';

/** One line about a thrown value, without secrets and without paths of the host. */
export function describeError(
  error: unknown,
  context: { readonly redactor: Redactor; readonly workspace: string | null },
): string {
  const { redactor, workspace } = context;
  const said = messageOf(error).slice(0, SCANNED_UNITS);
  const local =
    workspace === null || workspace === '/' ? said : said.replaceAll(`${workspace}/`, '');
  // Secrets go before anything is cut or joined: half of one, or one on two lines, is not known again.
  const message = redactor.text(local).replaceAll(/\s+/g, ' ').trim();
  const clean = redactor.text(message).replaceAll(HOST_PATH, '[path]');
  return boundText(clean === '' ? 'no message' : clean, 500).text;
}

function messageOf(error: unknown): string {
  try {
    if (typeof error === 'string') return error;
    if (typeof error !== 'object' || error === null || !('message' in error)) return '';
    const { message } = error;
    return typeof message === 'string' ? message : '';
  } catch {
    // A getter of the thrown value threw in turn: there is nothing to say about it.
    return '';
  }
}

/** Of a message that fills the memory, the rest is never looked at. */
const SCANNED_UNITS = 65_536;

/** An absolute path that begins a word; `a/b` and `https://…` are left alone. */
const HOST_PATH = /(?<![\w.:/-])(?:\/[^\s:;,'"()<>/]+)+\/?/g;
