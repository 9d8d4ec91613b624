import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, MillforgeError, type Tool } from '@millforge/contracts';
import { type CompiledCustomTool, compileCustomTools } from '@millforge/custom-tools';
import { createCustomToolImplementations } from '@millforge/custom-tools/run';
import { createToolTester, type ToolTesterOptions } from '@millforge/registry/testing';
import { createSandbox, type Sandbox } from '@millforge/sandbox';
import { afterAll, beforeAll, expect, onTestFinished, type TestContext, test } from 'vitest';
import { sampleManifest, samplePolicy, schemaOf } from './sample-manifest.ts';

const clock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new Error('aborted'));
      });
    }),
};
let sandbox: Sandbox;
beforeAll(() => {
  const ids = { newId: (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}` };
  sandbox = createSandbox({ clock, ids });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const KINDS = ['contract_only', 'host_function', 'sandboxed_js', 'sandboxed_command'];

/** Compiles one tool, `custom.echo`, with some of its fields changed. */
function compiled(fields: object): CompiledCustomTool {
  const manifest = sampleManifest();
  manifest.version = '1.1';
  manifest.tools.pop();
  Object.assign(manifest.tools[0] ?? {}, fields);
  const policy = samplePolicy({ allowed_runtime_kinds: KINDS });
  const result = compileCustomTools({ value: manifest }, policy);
  const [tool] = result.ok ? result.value.tools : [];
  if (tool === undefined) throw new Error(JSON.stringify(result));
  return tool;
}

function toTool(fields: object): Tool {
  const [tool] = createCustomToolImplementations({ tools: [compiled(fields)], sandbox });
  if (tool === undefined) throw new Error('no tool');
  return tool;
}

const call = async (tool: Tool, options: ToolTesterOptions = {}) =>
  (await createToolTester(tool, { clock, ...options }).call({ message: 'a b c' })).outcome;

const js = (source: string, rest: object = {}) =>
  toTool({ runtime_kind: 'sandboxed_js', implementation: { source, ...rest } });

const command = (implementation: object, rest: object = {}) =>
  toTool({ runtime_kind: 'sandboxed_command', implementation, ...rest });

async function needWalls({ skip }: TestContext): Promise<void> {
  const report = (await sandbox.report()).at(-1);
  if (report?.isAvailable === true) return;
  expect((process.env['MILLFORGE_REQUIRE'] ?? '').split(','), report?.detail).not.toContain(
    'sandbox',
  );
  skip(report?.detail);
}

test('a function of the manifest answers with its structured result', async () => {
  const tool = js('export default ({ message }) => ({ result: message.toUpperCase() })');
  expect(tool.origin).toBe('custom');
  expect(await call(tool)).toMatchObject({
    status: 'success',
    data: { result: 'A B C' },
    text: '{"result":"A B C"}',
  });
});

test('a function may have another entry and limits of its own', async () => {
  const source = 'export const size = ({ message }) => ({ result: String(message.length) })';
  expect(
    await call(js(source, { entry: 'size', limits: { memory_bytes: 8_388_608 } })),
  ).toMatchObject({
    data: { result: '5' },
  });
});

test.each([
  ['export default () => { throw new TypeError("no") }', 'implementation_error', 'TypeError: no'],
  ['export default () => ({ other: 1 })', 'output_validation_failed', ''],
  ['export default () => [1]', 'output_validation_failed', ''],
  ['export default () => new Uint8Array(1e9)', 'implementation_error', 'limit of memory'],
  ['export default () => process.env', 'implementation_error', "'process' is not defined"],
])('a function that fails is a failed call: %s', async (source, code, text) => {
  const outcome = await call(js(source));
  expect(outcome).toMatchObject({ error_code: code });
  expect(outcome.text).toContain(text);
});

test('a function is stopped at the time limit of its descriptor', { tags: ['slow'] }, async () => {
  const tool = toTool({
    runtime_kind: 'sandboxed_js',
    implementation: { source: 'export default () => { for (;;); }' },
    timeout_policy: { timeout_seconds: 1, cancellation_grace_seconds: 1 },
  });
  expect(await call(tool)).toMatchObject({ error_code: 'timeout' });
});

test('every result says where the code ran, and when that is no boundary', async () => {
  const tester = createToolTester(js('export default () => ({ result: "" })'), { clock });
  expect((await tester.call({ message: 'x' })).after).toEqual({
    sandbox_tier: 'quickjs',
    is_boundary: true,
  });
  const open = createSandbox({
    clock,
    ids: { newId: (prefix) => prefix },
    commandTier: { kind: 'process', acceptsNoBoundary: true },
  });
  const implementation = { command: ['/bin/sh', '-c', 'echo \'{"result":""}\''] };
  const tools = [compiled({ runtime_kind: 'sandboxed_command', implementation })];
  const [bare] = createCustomToolImplementations({ tools, sandbox: open });
  if (bare === undefined) throw new Error('no tool');
  expect((await createToolTester(bare, { clock }).call({ message: 'x' })).after).toEqual({
    sandbox_tier: 'process',
    is_boundary: false,
  });
});

test('an interrupted call of a function cannot have done anything', async () => {
  const tester = createToolTester(js('export default () => ({ result: "" })'), { clock });
  expect(await tester.reconcile({ message: 'x' }, {})).toMatchObject({ kind: 'not-happened' });
});

test('a command gets the arguments as JSON and answers with JSON', async (context) => {
  await needWalls(context);
  const words = command({
    command: [
      '/bin/sh',
      '-c',
      'read -r line; printf \'{"result": "%s"}\' "$(printf %s "$line" | tr -d \'{}":\')"',
    ],
  });
  expect(await call(words)).toMatchObject({ status: 'success', data: { result: 'messagea b c' } });
});

test('a command may answer with plain text', async (context) => {
  await needWalls(context);
  const tool = command(
    {
      command: ['/bin/sh', '-c', 'echo "$GREETING"'],
      output: 'text',
      environment: { GREETING: 'hello' },
    },
    { output_schema: schemaOf('text') },
  );
  expect(await call(tool)).toMatchObject({ data: { text: 'hello\n' }, text: 'hello\n' });
});

test('a command reads or changes the workspace as its manifest says', async (context) => {
  await needWalls(context);
  const workspace = mkdtempSync(join(tmpdir(), 'millforge-workspace-'));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  writeFileSync(join(workspace, 'a'), 'content');
  const script = ['/bin/sh', '-c', 'cat a 2>/dev/null; (echo new >b) 2>/dev/null; exit 0'];
  const output_schema = schemaOf('text');
  const reads = command({ command: script, output: 'text', workspace: 'read' }, { output_schema });
  const outcome = await call(reads, { workspace });
  expect(outcome.data).toEqual({ text: 'content' });
  expect(() => readFileSync(join(workspace, 'b'))).toThrow('ENOENT');
  const blind = command({ command: script, output: 'text' }, { output_schema });
  expect((await call(blind, { workspace })).data).toEqual({ text: '' });
  const writes = command(
    { command: script, output: 'text', workspace: 'write' },
    { output_schema, side_effect_class: 'workspace_write', approval_policy: 'millrace_explicit' },
  );
  await call(writes, { workspace });
  expect(readFileSync(join(workspace, 'b'), 'utf8')).toBe('new\n');
  expect(await call(writes)).toMatchObject({ error_code: 'policy_denied' });
});

test('a command that fails says how', async (context) => {
  await needWalls(context);
  const tool = command({ command: ['/bin/sh', '-c', 'echo wrong >&2; exit 4'] });
  const outcome = await call(tool);
  expect(outcome).toMatchObject({ error_code: 'process_exit_nonzero' });
  expect(outcome.text).toBe('The command exited with 4.\nwrong');
  const silent = command({ command: ['true'] });
  expect(await call(silent)).toMatchObject({ error_code: 'output_validation_failed' });
});

test('what the sandbox does not allow or cannot do is told apart', async () => {
  const tool = js('export default () => ({ result: "" })', { limits: { memory_bytes: 2 ** 35 } });
  expect(await call(tool)).toMatchObject({
    error_code: 'policy_denied',
    certainty: 'not_attempted',
  });
  const nowhere = createSandbox({
    clock,
    ids: { newId: (prefix) => prefix },
    commandTier: { kind: 'bubblewrap', program: '/no/bwrap' },
  });
  const tools = [
    compiled({ runtime_kind: 'sandboxed_command', implementation: { command: ['true'] } }),
  ];
  const [unavailable] = createCustomToolImplementations({ tools, sandbox: nowhere });
  expect(unavailable && (await call(unavailable))).toMatchObject({
    error_code: 'process_launch_error',
    certainty: 'not_attempted',
  });
});

test('a function of the program runs as it is given', async () => {
  const tools = [compiled({ runtime_kind: 'host_function' })];
  const [tool] = createCustomToolImplementations({
    tools,
    sandbox,
    hostFunctions: {
      'impl.custom.echo.v1': async ({ message }) => ({
        kind: 'done',
        text: 'said',
        data: { result: `${JSON.stringify(message)}!` },
      }),
    },
  });
  expect(tool && (await call(tool))).toMatchObject({ text: 'said', data: { result: '"a b c"!' } });
});

test('a bare contract refuses every call', async () => {
  expect(await call(toTool({}))).toMatchObject({
    status: 'not_executed',
    error_code: 'not_found',
    certainty: 'not_attempted',
  });
});

test.each([
  ['sandboxed_js', { implementation: { source: 'export default () => ({ result: "ran" })' } }],
  ['host_function', {}],
  ['contract_only', {}],
])(
  'nothing of the kind %s runs without the approval that it asks for (B-34)',
  async (kind, rest) => {
    const tools = [compiled({ runtime_kind: kind, approval_policy: 'millrace_explicit', ...rest })];
    let runs = 0;
    const act = async () => {
      runs += 1;
      return { kind: 'done' as const, text: 'ran', data: { result: 'ran' } };
    };
    const hostFunctions = kind === 'host_function' ? { 'impl.custom.echo.v1': act } : {};
    const [tool] = createCustomToolImplementations({ tools, sandbox, hostFunctions });
    expect(tool?.approval).toBe('explicit');
    const approvals = { kind: 'approval_policy', schema_version: '1.0', rules: [] } as const;
    expect(tool && (await call(tool, { approvals }))).toMatchObject({
      status: 'not_executed',
      certainty: 'not_attempted',
    });
    expect(runs).toBe(0);
  },
);

const SOURCE = {
  runtime_kind: 'sandboxed_js',
  implementation: { source: 'export default () => ({ result: "" })' },
};
test.each<[string, (tool: CompiledCustomTool) => object]>([
  [
    'another code',
    (tool) => ({
      implementation: {
        ...tool.implementation,
        code: { ...tool.implementation?.code, source: 'export default () => ({ result: "evil" })' },
      },
    }),
  ],
  [
    'another entry',
    (tool) => ({
      implementation: {
        ...tool.implementation,
        code: { ...tool.implementation?.code, entry: 'other' },
      },
    }),
  ],
  [
    'other limits',
    (tool) => ({
      implementation: {
        ...tool.implementation,
        code: { ...tool.implementation?.code, limits: { memory_bytes: 1 } },
      },
    }),
  ],
  ['no code', () => ({ implementation: null })],
  [
    'another descriptor',
    (tool) => ({ descriptor: { ...tool.descriptor, description: 'Another.' } }),
  ],
  [
    'a looser approval',
    (tool) => ({ record: { ...tool.record, approval_policy: 'operator_out_of_band' } }),
  ],
])('a tool with %s than was compiled is refused', (_what, change) => {
  const tool = compiled(SOURCE);
  // A program may read anything back from where it kept its tools.
  const changed = { ...tool, ...change(tool) } as CompiledCustomTool;
  const make = (): unknown => createCustomToolImplementations({ tools: [changed], sandbox });
  expect(codeOf(make)).toBe('custom-tools/digest-mismatch');
  expect(
    createCustomToolImplementations({ tools: [JSON.parse(JSON.stringify(tool))], sandbox }).length,
  ).toBe(1);
});

test('functions of the program and tools fit together', () => {
  const tools = [compiled({ runtime_kind: 'host_function' })];
  expect(codeOf(() => createCustomToolImplementations({ tools, sandbox }))).toBe(
    'custom-tools/missing-host-function',
  );
  const hostFunctions = { other: nothing, 'impl.custom.echo.v1': nothing };
  expect(codeOf(() => createCustomToolImplementations({ tools, sandbox, hostFunctions }))).toBe(
    'custom-tools/unknown-host-function',
  );
});

async function nothing() {
  return { kind: 'done' as const, text: '' };
}

function codeOf(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return MillforgeError.is(error) ? error.code : String(error);
  }
}
