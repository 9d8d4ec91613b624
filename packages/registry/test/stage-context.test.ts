import { expect, test } from 'vitest';
import { admit, DONE, executorWorld, prepareCall, runCall, toolOf } from './executor-world.ts';

test('a copy of what a tool is given has the signal that stops the tool', async () => {
  const stop = new AbortController();
  let reason: unknown;
  const world = executorWorld([
    toolOf({
      run: async (_input, context) => {
        const { signal } = { ...context };
        stop.abort(new Error('enough'));
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        ({ reason } = signal);
        return DONE;
      },
    }),
  ]);
  await runCall(world, { key: 'a' }, stop.signal);
  expect(reason).toEqual(new Error('enough'));
});

test('a context has one signal, whoever asks for it and when', async () => {
  const seen: AbortSignal[] = [];
  const world = executorWorld([
    toolOf({
      run: async (_input, context) => {
        seen.push(context.signal, { ...context }.signal, context.signal);
        return DONE;
      },
    }),
  ]);
  await runCall(world);
  expect(new Set(seen).size).toBe(1);
});

test('a prepared call cannot be changed, and is freed once', async () => {
  let freed = 0;
  const world = executorWorld([
    toolOf({
      prepare: async () => ({
        kind: 'prepared',
        before: null,
        run: async () => DONE,
        dispose: async () => {
          freed += 1;
        },
      }),
    }),
  ]);
  const call = await admit(world).prepare({ signal: new AbortController().signal });
  if (call.kind !== 'prepared') throw new Error('It was refused.');
  expect(Object.isFrozen(call)).toBe(true);
  await call[Symbol.asyncDispose]();
  await call[Symbol.asyncDispose]();
  expect(freed).toBe(1);
});

test('what a tool was given to look with has the signal of its act once that has begun', async () => {
  const stop = new AbortController();
  let reason: unknown;
  const world = executorWorld([
    toolOf({
      prepare: async (_input, looking) => ({
        kind: 'prepared',
        before: null,
        async run() {
          stop.abort(new Error('enough'));
          const { signal } = looking;
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          ({ reason } = signal);
          return DONE;
        },
      }),
    }),
  ]);
  await using prepared = await prepareCall(admit(world));
  await prepared.run({ signal: stop.signal, idempotencyKey: 'key-1' });
  expect(reason).toEqual(new Error('enough'));
});

test('a tool that freezes what it was given to look with is performed all the same', async () => {
  const keys: string[] = [];
  const world = executorWorld([
    toolOf({
      prepare: async (_input, looking) => {
        Object.freeze(looking);
        return {
          kind: 'prepared',
          before: null,
          async run({ idempotencyKey, signal }) {
            keys.push(`${idempotencyKey} ${signal.aborted}`);
            return DONE;
          },
        };
      },
    }),
  ]);
  const { outcome } = await runCall(world);
  expect(outcome.status).toBe('success');
  expect(keys).toEqual(['key-1 false']);
});
