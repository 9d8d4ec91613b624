import { createRedactor, type ModelClient, type ModelDelta } from '@millforge/contracts';
import { manualClock, sequentialIds } from '@millforge/contracts/testing';
import { memoryOperationLog, type RunEvent, type RunOptions, runPlan } from '@millforge/runtime';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import { runOptions, runScript } from '../support/scripted-run.ts';

const built = buildPlan([{ id: 'read' }, { id: 'submit', terminal: 'COMPLETE' }]);
const SECRET = 'hunter2-hunter2';
const PHRASE = 'correct horse\n\nbattery';
const redactor = createRedactor({ secrets: [SECRET, PHRASE] });

/** A model that writes its first reply in these pieces, and then ends. */
function writer(pieces: readonly ModelDelta[]): ModelClient {
  const written = (kind: ModelDelta['kind']) => {
    const last = pieces.findLastIndex((piece) => piece.kind === 'restart');
    const said = pieces
      .slice(last + 1)
      .filter((piece) => piece.kind === kind)
      .map((piece) => piece.text)
      .join('');
    return said === '' ? null : said;
  };
  const reply = { finish_reason: 'stop', usage: null, provider_model: null } as const;
  return {
    async complete({ messages }, { onDelta }) {
      const isFirst = !messages.some(({ role }) => role === 'assistant');
      if (isFirst) for (const piece of pieces) onDelta?.(piece);
      const call = { id: 'a', name: 'submit', arguments: '{"summary":"Done."}' };
      const said = isFirst
        ? { content: written('text'), reasoning: written('reasoning'), tool_calls: [] }
        : { content: null, reasoning: null, tool_calls: [call] };
      return { kind: 'reply', reply: { ...reply, ...said }, attempts: 1 };
    },
  };
}

async function eventsOf(
  pieces: readonly ModelDelta[],
  options: Partial<RunOptions> = {},
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const clock = manualClock();
  const operations = memoryOperationLog({ clock, ids: sequentialIds() });
  await runPlan(built.reference, {
    ...runOptions(built, { clock, model: writer(pieces), operations }),
    redactor,
    deltas: true,
    ...options,
    onEvent: (event) => events.push(event),
  });
  return events;
}

/** What a reader has on the screen when the first reply is there. */
function shownOf(events: readonly RunEvent[], part: 'text' | 'reasoning'): string {
  let shown = '';
  for (const event of events) {
    if (event.kind === 'model-wrote' && event.part === part && event.turn === 1)
      shown = event.replaces ? event.text : shown + event.text;
  }
  return shown;
}

function text(...pieces: readonly string[]): ModelDelta[] {
  return pieces.map((piece) => ({ kind: 'text', text: piece }));
}

test('a reply is told of word by word, before it is whole', async () => {
  const events = await eventsOf(text('I wi', 'll look ', 'at the fi', 'le.'));
  expect(events.slice(0, 5)).toMatchObject([
    { kind: 'turn-started' },
    { kind: 'model-wrote', turn: 1, part: 'text', text: 'I ', replaces: false },
    { kind: 'model-wrote', text: 'will look ' },
    { kind: 'model-wrote', text: 'at the ' },
    { kind: 'model-replied', content: 'I will look at the file.' },
  ]);
});

test('nothing is told of what is written unless it was asked for', async () => {
  const kinds = (await eventsOf(text('a ', 'b '), { deltas: false })).map(({ kind }) => kind);
  expect(kinds).not.toContain('model-wrote');
});

test('a replayed reply is told of as a whole alone', async () => {
  const first = await runScript(built, ['Some words.', [['submit', { summary: 'Done.' }]]], {
    deltas: true,
  });
  expect(first.events.map(({ kind }) => kind)).toContain('model-wrote');
  const again = await runScript(built, [], { deltas: true, log: first.log.resume() });
  expect(again.events.filter(({ kind }) => kind === 'model-wrote')).toEqual([]);
});

test('what may be a call is not told of before it is judged', async () => {
  const call = '{"name": "read", "arguments": {"path": "a"}} ';
  const events = await eventsOf(text('I read it.\n', call.slice(0, 9), call.slice(9)));
  expect(shownOf(events, 'text')).toBe('I read it.\n');
});

test('a request that is sent once more takes back what was written', async () => {
  const events = await eventsOf([
    ...text('One two '),
    { kind: 'reasoning', text: 'So be it. ' },
    { kind: 'restart', text: '' },
    ...text('Three. '),
  ]);
  expect(shownOf(events, 'text')).toBe('Three. ');
  expect(shownOf(events, 'reasoning')).toBe('');
});

test('what a client tells after its answer reaches nobody', async () => {
  let tell: ((delta: ModelDelta) => void) | undefined;
  const late: ModelClient = {
    complete(request, options) {
      tell ??= options.onDelta;
      return writer([]).complete(request, { signal: options.signal });
    },
  };
  const { events } = await runScript(built, [], { model: late, deltas: true });
  tell?.({ kind: 'text', text: 'Too late. ' });
  expect(tell).toBeDefined();
  expect(events.filter(({ kind }) => kind === 'model-wrote')).toEqual([]);
});

test('a secret of several words is told of in no piece, and nothing after it waits', async () => {
  const pieces = `Say ${PHRASE} and ${JSON.stringify(PHRASE)} now `.split(/(?<=\s)/);
  const events = await eventsOf(text(...pieces));
  expect(shownOf(events, 'text')).toBe('Say **redacted** and "**redacted**" now ');
  for (const event of events)
    if (event.kind === 'model-wrote') expect(event.text).not.toMatch(/correct|horse|battery/);
});

test('a redactor that cannot redact pieces lets none through', async () => {
  const events = await eventsOf(text('One ', 'two '), {
    redactor: { text: redactor.text, value: redactor.value },
  });
  expect(events.map(({ kind }) => kind)).not.toContain('model-wrote');
});

const WORDS = [
  'the',
  'key',
  'is',
  'password=',
  SECRET,
  PHRASE,
  'correct',
  '"',
  'and',
  '\n',
  '\n\n',
  '語',
  'so,',
];

test('however a text is cut, what was shown is a beginning of what the whole reply says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 }),
      async (words, sizes) => {
        const whole = words.join(' ');
        const pieces: string[] = [];
        for (let at = 0; at < whole.length; at += pieces.at(-1)?.length ?? 1)
          pieces.push(whole.slice(at, at + (sizes[pieces.length % sizes.length] ?? 1)));
        const events = await eventsOf(text(...pieces));
        const shown = shownOf(events, 'text');
        expect(redactor.text(whole).slice(0, shown.length)).toBe(shown);
        const replied = events.find(({ kind }) => kind === 'model-replied');
        expect(replied).toMatchObject({ content: redactor.text(whole) || null });
      },
    ),
    { numRuns: 150 },
  );
});
