import type { ModelMessage } from '@millforge/contracts';
import { createModelClient } from '@millforge/models';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { profileOf, steppingClock } from '../exchange.ts';

/** What a failure says when a server that was sent the messages answers with a text. */
async function toldOf(said: string, messages: readonly ModelMessage[]): Promise<string> {
  const client = createModelClient({
    profile: { ...profileOf('http://127.0.0.1:9/v1'), max_retries: 0 },
    fetch: () => Promise.resolve(Response.json({ error: { message: said } }, { status: 400 })),
    clock: steppingClock(),
  });
  const { signal } = new AbortController();
  const completion = await client.complete({ messages, tools: [] }, { signal });
  return completion.kind === 'failed'
    ? (/: "(.*)"; check/s.exec(completion.message)?.[1] ?? '')
    : '';
}

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const sentence = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '));

test('a failure repeats no passage of the conversation, and everything else that a server says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sentence, { minLength: 1, maxLength: 4 }),
      fc.array(fc.oneof(word, fc.tuple(fc.nat(), fc.nat(40), fc.nat(60))), { maxLength: 6 }),
      async (spoken, parts) => {
        const said = parts
          .map((part) => {
            if (typeof part === 'string') return part.toUpperCase();
            const [which, start, length] = part;
            return (spoken[which % spoken.length] ?? '').slice(start, start + length);
          })
          .join(' | ')
          .replaceAll(/\s+/g, ' ')
          .trim();
        const told = await toldOf(
          said,
          spoken.map((content) => ({ role: 'user', content })),
        );
        for (const text of spoken) {
          for (let at = 0; at + 24 <= text.length; at += 1) {
            expect(told).not.toContain(text.slice(at, at + 24));
          }
        }
        // Nothing is lost but what was repeated: what is left stands in the answer, in its order.
        let from = 0;
        for (const piece of told.split('…')) {
          const at = said.indexOf(piece, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + piece.length;
        }
        const hasEcho = spoken.some((text) => text.length >= 24 && hasPassage(said, text));
        expect(told.includes('…')).toBe(hasEcho || said.length > 240);
      },
    ),
    { numRuns: 200 },
  );
});

function hasPassage(said: string, text: string): boolean {
  for (let at = 0; at + 24 <= text.length; at += 1) {
    if (said.includes(text.slice(at, at + 24))) return true;
  }
  return false;
}
