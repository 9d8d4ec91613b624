import { expect, test } from 'vitest';
import { admit, DONE, executorWorld, runCall, toolOf } from './executor-world.ts';

const { signal } = new AbortController();
const ACT = { kind: 'prepared', before: null, run: async () => DONE };

/** What code in plain JavaScript may answer without a promise. */
function answer(value: unknown): never {
  claim(value);
  return value;
}

function claim(_value: unknown): asserts _value is never {}

test('a tool that has nothing to look at is prepared without a promise', async () => {
  const world = executorWorld([toolOf()]);
  const prepared = admit(world).prepare({ signal });
  expect(prepared).toMatchObject({ kind: 'prepared', before: null });
  expect(await runCall(world)).toMatchObject({ outcome: { status: 'success' } });
});

function prepare(given: unknown) {
  return admit(executorWorld([toolOf({ prepare: () => answer(given) })])).prepare({ signal });
}

test('what a tool answers at once is held to the same as what comes later', async () => {
  const refused = { kind: 'refused', code: 'not_found', message: 'There is no such thing.' };
  expect(prepare(refused)).toMatchObject({ kind: 'refused', outcome: { error_code: 'not_found' } });
  const broken = { kind: 'refused', outcome: { error_code: 'implementation_error' } };
  await expect(prepare({ kind: 'prepared', before: null })).resolves.toMatchObject(broken);
  await expect(prepare({ ...ACT, before: () => 0 })).resolves.toMatchObject(broken);
});

test('a tool that throws at once is refused without a promise', () => {
  const world = executorWorld([
    toolOf({
      prepare: () => {
        throw new Error('The disk is full.');
      },
    }),
  ]);
  expect(admit(world).prepare({ signal })).toMatchObject({
    kind: 'refused',
    outcome: { error_code: 'implementation_error' },
  });
});

test.each<[string, () => unknown]>([
  ['prepared', () => ACT],
  ['run', () => DONE],
])('a promise of no kind that the language knows is asked once (%s)', async (stage, given) => {
  let asked = 0;
  const value = (resolve: (value: unknown) => void) => {
    asked += 1;
    resolve(given());
  };
  const odd = () => Object.fromEntries(['then'].map((name) => [name, value]));
  const tool = toolOf({ prepare: () => answer(stage === 'run' ? { ...ACT, run: odd } : odd()) });
  expect(await runCall(executorWorld([tool]))).toMatchObject({ outcome: { status: 'success' } });
  expect(asked).toBe(1);
});

test('a proxy that nobody can look at is no answer', async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(await prepare(proxy)).toMatchObject({ outcome: { error_code: 'implementation_error' } });
  const run = () => answer(proxy);
  const { outcome } = await runCall(
    executorWorld([toolOf({ prepare: () => answer({ ...ACT, run }) })]),
  );
  expect(outcome).toMatchObject({ error_code: 'implementation_error' });
});
