import type { JsonValue } from '@millforge/contracts';
import {
  createSandbox,
  type Sandbox,
  type SandboxCall,
  type SandboxOptions,
} from '@millforge/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clock, ids } from './real-clock.ts';
import { sandbox } from './real-sandbox.ts';

// The same behind bubblewrap, where there is one, and in a bare child.
const CARRIERS: readonly (readonly [string, Partial<SandboxOptions>])[] = [
  ['behind the walls of this host', {}],
  ['in a bare child', { commandTier: { kind: 'bubblewrap', program: '/nonexistent/bwrap' } }],
];

describe.each(CARRIERS)('%s', (_name, options) => {
  let shared: Sandbox;
  beforeAll(() => {
    shared = createSandbox({ clock, ids, ...options });
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  const call = (source: string, rest: Omit<SandboxCall, 'source'> = {}) =>
    shared.call({ source, ...rest });

  test.each<[string, JsonValue, JsonValue]>([
    ['export default (input) => input', { a: [1, 'é', null] }, { a: [1, 'é', null] }],
    ['export default async ({ a }) => { await null; return a + 1; }', { a: 1 }, 2],
    ['export default () => new Date().toISOString()', null, '1970-01-01T00:00:00.000Z'],
    [
      'export default () => Date() !== "" && new Date(5).getTime() + Date.UTC(1970, 0, 2)',
      null,
      86_400_005,
    ],
    ['const x = await Promise.resolve(3); export default () => x', null, 3],
  ])('returns what the function gives: %s', async (source, input, value) => {
    expect(await call(source, { input })).toMatchObject({ kind: 'returned', value });
  });

  test.each<[string, string, string]>([
    ['export default () => { throw new RangeError("no") }', 'RangeError', 'no'],
    ['export default () => { throw "text" }', 'Error', 'text'],
    [
      'export default () => { throw { get name() { throw 1 } } }',
      'Error',
      'The code threw something that cannot be shown.',
    ],
    ['export default async () => { throw new TypeError("later") }', 'TypeError', 'later'],
    ['throw new Error("at load")', 'Error', 'at load'],
    ['export default (', 'SyntaxError', "unexpected token in expression: ''"],
    ['export const other = 1', 'TypeError', 'The module exports no function default.'],
    [
      'export default () => undefined',
      'TypeError',
      'The function returned nothing that JSON can hold.',
    ],
    [
      'export default () => { const a = []; a.push(a); return a }',
      'TypeError',
      'circular reference',
    ],
    [
      'export default () => new Promise(() => {})',
      'Error',
      'The promise of the function never settles.',
    ],
    [
      'import "node:fs"; export default () => 1',
      'ReferenceError',
      "could not load module 'node:fs'",
    ],
  ])('tells what the code threw: %s', async (source, name, message) => {
    expect(await call(source)).toMatchObject({ kind: 'threw', error: { name, message } });
  });

  test.each([
    ['an endless loop', 'time', 'export default () => { for (;;); }'],
    ['an endless loop while it is loaded', 'time', 'for (;;);'],
    ['endless promises', 'time', 'export default async () => { for (;;) await null; }'],
    [
      'a catastrophic pattern',
      'time',
      'export default () => "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".match(/(a+)+$/)',
    ],
    [
      'a loop that catches everything',
      'time',
      'export default () => { for (;;) { try { for (;;); } catch {} finally { continue } } }',
    ],
    [
      'a built-in function that cannot be interrupted',
      'time',
      'export default () => "x".repeat(4e6).split("").sort(() => 1).length',
    ],
    [
      'growing memory',
      'memory',
      'export default () => { const kept = []; for (;;) kept.push(new Uint8Array(1e6)); }',
    ],
    ['one huge buffer', 'memory', 'export default () => new ArrayBuffer(1e9).byteLength'],
    ['endless recursion', 'stack', 'export default () => { const f = () => f() + 1; return f(); }'],
    [
      'endless logging',
      'output',
      'export default () => { for (;;) console.log("x".repeat(1000)); }',
    ],
    ['a huge result', 'output', 'export default () => "é".repeat(600000)'],
  ])('stops %s by its limit of %s', { tags: ['slow'] }, async (_what, limit, source) => {
    // What is stopped by something else must not be late on a busy machine.
    const isTimed = limit === 'time';
    const memoryBytes = (isTimed ? 512 : 16) * 2 ** 20;
    const limits = { timeoutMs: isTimed ? 150 : 10_000, memoryBytes, outputBytes: 1_000_000 };
    const result = await call(source, { limits });
    expect(result).toMatchObject({ kind: 'stopped', limit });
  });

  test('goes on after code that was stopped', async () => {
    const made = sandbox({ ...options, warmProcesses: 1 });
    for (const source of [
      'export default () => { for (;;); }',
      'export default () => new ArrayBuffer(1e9)',
    ]) {
      await made.call({ source, limits: { timeoutMs: 50 } });
      expect(await made.call({ source: 'export default () => 1' })).toMatchObject({ value: 1 });
    }
  });

  test('leaves nothing for the next call', async () => {
    const made = sandbox({ ...options, warmProcesses: 1 });
    const poison = `
      globalThis.left = 1;
      Object.prototype.left = 2;
      JSON.parse = JSON.stringify = () => '"forged"';
      Array.prototype.map = () => ['forged'];
      export default () => 'poisoned'`;
    expect(await made.call({ source: poison })).toMatchObject({
      kind: 'returned',
      value: 'poisoned',
    });
    const look = `export default (input) => [typeof left, ({}).left === undefined, input, [1].map((x) => x + 1)]`;
    const result = await made.call({ source: look, input: 'given' });
    expect(result).toMatchObject({ value: ['undefined', true, 'given', [2]] });
  });

  test('has nothing of the host, not even through constructors', async () => {
    const source = `
      export default () => {
        const root = (function () {}).constructor('return this')();
        const names = Object.getOwnPropertyNames(root);
        const host = ['process', 'require', 'module', 'fetch', 'std', 'os', 'Buffer', 'WebAssembly', 'Worker', 'setTimeout', 'performance'];
        const prelude = ['write', 'configure', 'describe'];
        return names.filter((name) => host.includes(name) || prelude.includes(name));
      };`;
    expect(await call(source)).toMatchObject({ kind: 'returned', value: [] });
  });

  test('takes no result from what the code writes (S-01)', async () => {
    const line = '{"kind":"returned","value":"\\"forged\\"","stdout":"","stderr":"","usedBytes":1}';
    const source = `export default () => { console.log(${JSON.stringify(`\n${line}\n`)}); throw new Error('real'); }`;
    const result = await call(source);
    expect(result).toMatchObject({ kind: 'threw', error: { message: 'real' } });
    if (result.kind === 'threw') expect(result.stdout).toContain('forged');
  });

  test.each([
    'slice = function () { return "x".repeat(5e6); }',
    'replaceAll = function () { return "x".repeat(5e6); }',
    'replaceAll = () => ({ toString: () => "x".repeat(5e6) })',
  ])('tells of what is thrown in as many words as it has: String.prototype.%s', async (method) => {
    const source = `String.prototype.${method}; export default () => { throw new Error('a\\n'.repeat(5e5)); }`;
    const result = await call(source, { limits: { outputBytes: 10_000 } });
    if (result.kind !== 'threw') return expect(result).toEqual({ kind: 'threw' });
    expect(result.error.name).toBe('Error');
    expect(result.error.message).toBe('a\n'.repeat(1024));
    return undefined;
  });

  test.each([
    ['buffers', 'new Uint8Array(1e6).fill(1)'],
    ['texts', '"x".repeat(1e6) + at'],
    ['objects', 'Array.from({ length: 1e4 }, (_, n) => ({ n }))'],
  ])('has no more memory in many %s than in one (S-05)', async (_kind, piece) => {
    const source = `export default () => { const all = []; for (let at = 0; at < 100; at++) all.push(${piece}); return all.length; }`;
    expect(await call(source, { limits: { memoryBytes: 16 * 2 ** 20 } })).toMatchObject({
      kind: 'stopped',
      limit: 'memory',
    });
  });

  test('has no more memory while it is told what was thrown (S-05)', async () => {
    const take =
      'const all = []; for (let at = 0; at < 100; at++) all.push(new Uint8Array(1e6).fill(1)); return "held";';
    const source = `export default () => { throw { get message() { ${take} } } }`;
    expect(await call(source, { limits: { memoryBytes: 16 * 2 ** 20 } })).toMatchObject({
      kind: 'threw',
      error: { message: expect.stringMatching(/^The code threw/u) },
    });
  });

  test('keeps what a module writes while it is loaded, and bounds it (S-02)', {
    tags: ['slow'],
  }, async () => {
    const quiet = await call('console.log("loaded"); export default () => 1');
    expect(quiet).toMatchObject({ kind: 'returned', stdout: 'loaded\n' });
    const loud = await call('for (;;) console.error("loaded"); export default () => 1', {
      limits: { outputBytes: 10_000 },
    });
    expect(loud).toMatchObject({ kind: 'stopped', limit: 'output' });
  });

  test('draws the same numbers from the same seed', async () => {
    const source = 'export default () => [Math.random(), Math.random()]';
    const draw = async (seed: number) => {
      const result = await call(source, { seed });
      return result.kind === 'returned' ? result.value : null;
    };
    expect(await draw(7)).toEqual(await draw(7));
    expect(await draw(7)).not.toEqual(await draw(8));
  });

  test('ends when the host says so', async () => {
    const abort = new AbortController();
    const made = sandbox(options);
    const running = made.call(
      { source: 'export default () => { for (;;); }' },
      { signal: abort.signal },
    );
    abort.abort();
    expect(await running).toMatchObject({ kind: 'aborted' });
  });

  test('runs more calls than it has processes, each with its own answer (S-06)', async () => {
    const made = sandbox({ ...options, warmProcesses: 2 });
    const source = 'export default (input) => input * 2';
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, input) => made.call({ source, input })),
    );
    expect(results.map((result) => (result.kind === 'returned' ? result.value : result))).toEqual(
      Array.from({ length: 20 }, (_, input) => input * 2),
    );
  });
});

test('is refused above the ceiling, and not cut to it', async () => {
  const made = sandbox({ ceiling: { timeoutMs: 1000 } });
  const source = 'export default () => 1';
  expect(await made.call({ source, limits: { timeoutMs: 1001 } })).toEqual({
    kind: 'refused',
    reason: 'above-ceiling',
    message: 'timeoutMs is 1001, above the ceiling of 1000.',
  });
  expect(await made.call({ source, limits: { memoryBytes: 0.5 } })).toMatchObject({
    kind: 'refused',
  });
  expect(await made.call({ source, limits: { timeoutMs: 1000 } })).toMatchObject({ value: 1 });
});

test('says on every result what held, and whether walls stand behind the engine', async () => {
  const source = 'export default () => 1';
  const bare = await sandbox({ commandTier: { kind: 'bubblewrap', program: '/no/bwrap' } }).call({
    source,
  });
  expect(bare).toMatchObject({ containment: { tier: 'quickjs', isBoundary: true } });
  if (bare.kind !== 'returned') return;
  const { holds } = bare.containment;
  expect(Object.values(holds).every(({ stops }) => stops)).toBe(true);
  expect(holds['read-host-files'].by).toBe('the engine has no files');
});
