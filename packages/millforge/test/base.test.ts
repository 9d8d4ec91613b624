import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { startScriptedServer } from '@millforge/models/testing';
import {
  type BaseRequest,
  createMillforge,
  createMillforgeBase,
  describeMillforgeBase,
  type MillforgeBaseOptions,
  type ModelScript,
  runTask,
} from 'millforge';
import { toModelProfileCatalog } from 'millforge/compiler';
import { digest, readPlan } from 'millforge/contracts';
import { BASE_GRANTS, millforgeBase } from 'millforge/pi-tools';
import { expect, test } from 'vitest';
import { filesBelow, testFolder } from './support/greeter.ts';

test('mends the demo project against a server that needs no key, and writes the evidence (D-09)', {
  tags: ['slow'],
}, async () => {
  const { cwd, data } = layOut();
  cpSync(DEMO, cwd, { recursive: true });
  const script: ModelScript = JSON.parse(readFileSync(join(DEMO, '../base-script.json'), 'utf8'));
  await using server = await startScriptedServer({ replies: script.replies });
  await using base = await createMillforgeBase({
    profile: { profile_id: 'local.model', base_url: server.url, model: 'm' },
    cwd,
    dataDir: data,
    home: null,
  });
  expect(server.requestCount).toBe(0);
  const request = { task: 'npm test fails. Mend the source.', runId: 'mend-1', requestId: 'r-1' };
  const before = base.evidenceFor(request);
  const result = await base.execute(request);
  expect(result).toMatchObject({ run_id: 'mend-1', status: 'success', disposition: 'success' });
  expect(readFileSync(join(cwd, 'src/total.js'), 'utf8')).toContain('let index = 0;');
  const written = readFileSync(join(data, 'runs', 'mend-1', 'evidence.json'), 'utf8');
  expect(JSON.parse(written)).toEqual(before);
});

test('evidence tells digests of everything, itself included, and none of it', async () => {
  const { options, cwd } = layOut();
  writeFileSync(join(cwd, 'AGENTS.md'), 'Speak like a pirate.');
  await using base = await createMillforgeBase(options);
  const evidence = base.evidenceFor({ task: 'Say hello.' });
  const { invocation_sha256: own, ...facts } = evidence;
  expect(own).toBe(digest(JSON.parse(JSON.stringify(facts)), { newline: false }));
  expect(evidence).toMatchObject({
    schema_version: '1.2',
    request_id: 'request.millforge-base',
    compiled_plan_sha256: base.plan.sha256,
    descriptor_sha256: describeMillforgeBase().descriptor_sha256,
    context_file_count: 1,
    context_truncated: false,
    prompt_truncated: false,
  });
  expect(JSON.stringify(evidence)).not.toMatch(/pirate|hello|millforge-\w{6}/);
  expect(base.contextFiles).toEqual([{ path: 'AGENTS.md', bytes: 20, truncated: false }]);
});

test('the same folder gives the same plan wherever it is, and whatever its name is', async () => {
  const bases = await Promise.all(
    [layOut(), layOut()].map(({ options }) => createMillforgeBase(options)),
  );
  const [first, second] = bases;
  expect(first?.plan).toEqual(second?.plan);
  await Promise.all(bases.map((base) => base.close()));
});

test.each<[string, Partial<BaseRequest>]>([
  ['harness_identity', { harness: { id: 'other', version: 1 } }],
  ['compiled_plan_hash', { planSha256: '0'.repeat(64) }],
  ['stage_kind', { stage: { plane: 'planning', nodeId: 'millforge-base', stageKindId: 'x' } }],
  ['model_profile', { profileId: 'other.profile' }],
  ['capability_envelope', { grants: ['terminal.intent'] }],
  ['harness_identity', JSON.parse('{"harness":null}')],
  ['stage_kind', JSON.parse('{"stage":null}')],
  ['capability_envelope', JSON.parse('{"grants":"all"}')],
])('refuses a request of another %s before anything is done', async (reason, claim) => {
  const { options, data } = layOut();
  await using base = await createMillforgeBase(options);
  const binding = { code: 'millforge/base-binding', details: { reason } };
  const request = { task: 'Say hello.', ...claim };
  await expect(base.execute(request)).rejects.toMatchObject(binding);
  expect(() => base.evidenceFor(request)).toThrow(expect.objectContaining(binding));
  expect(filesBelow(data)).toEqual([]);
});

test('accepts a request that states what is so', async () => {
  const { options } = layOut();
  await using base = await createMillforgeBase({ ...options, dataDir: null });
  const result = await base.execute({
    task: 'Say hello.',
    harness: { id: 'millforge.base.unrestricted_agent.v1', version: 1 },
    planSha256: base.plan.sha256,
    stage: { plane: 'execution', nodeId: 'millforge-base', stageKindId: 'millforge_base' },
    profileId: 'millforge.base',
    grants: BASE_GRANTS.toReversed(),
  });
  expect(result.status).toBe('success');
});

test('an end of the host own vocabulary means what was declared (D-14)', async () => {
  const { options } = layOut([ending('terminal_plan_blocked', 'PLAN_BLOCKED')]);
  await using base = await createMillforgeBase({
    ...options,
    dataDir: null,
    terminals: [
      { result: 'PLAN_READY', disposition: 'success' },
      { result: 'PLAN_BLOCKED', disposition: 'blocked' },
    ],
  });
  expect(await base.execute({ task: 'Plan.' })).toMatchObject({
    status: 'blocked',
    disposition: 'blocked',
    terminal_result: 'PLAN_BLOCKED',
  });
});

test('is closed once, suspends what runs, and then does nothing', async () => {
  const { options } = layOut([
    { tool_calls: [{ name: 'bash', arguments: { command: 'sleep 60' } }] },
  ]);
  const base = await createMillforgeBase(options);
  let running: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve) => {
    running = base.execute(
      { task: 'Wait.' },
      {
        onEvent(event) {
          if (event.kind === 'model-replied') resolve();
        },
      },
    );
  });
  const closing = base.close();
  expect(base.isClosed).toBe(true);
  expect(base.close()).toBe(closing);
  expect(await running).toMatchObject({ status: expect.stringMatching(/interrupted|held/) });
  await closing;
  const closed = { code: 'millforge/closed' };
  await expect(base.execute({ task: 'More.' })).rejects.toMatchObject(closed);
  expect(() => base.evidenceFor({ task: 'More.' })).toThrow(expect.objectContaining(closed));
  await base[Symbol.asyncDispose]();
});

test('waits on closing for a run that is being admitted, and holds nothing open', async () => {
  const { options, data } = layOut([
    { tool_calls: [{ name: 'bash', arguments: { command: 'sleep 60' } }] },
  ]);
  let closing: Promise<void> | undefined;
  let names = 0;
  const base = await createMillforgeBase({
    ...options,
    ids: {
      newId(prefix) {
        // The name of the run is the last that is needed before anything is kept.
        if (prefix === 'run') closing = base.close();
        return `${prefix}_${++names}`;
      },
    },
  });
  const result = await base.execute({ task: 'Wait.' });
  expect(result.status).toBe('interrupted');
  expect(closing).toBeDefined();
  await closing;
  expect(openFilesBelow(data)).toEqual([]);
});

test('evidence of a structured result differs by its schema, and has nothing of it without one', async () => {
  const { options } = layOut();
  await using base = await createMillforgeBase({ ...options, dataDir: null });
  const [plain, numbered, named] = [undefined, oneNumber('integer'), oneNumber('string')].map(
    (output) => base.evidenceFor({ task: 'Say hello.', output }),
  );
  expect(plain).not.toHaveProperty('selected_output_requirements_sha256');
  expect(numbered?.selected_output_requirements_sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set([plain, numbered, named].map((one) => one?.invocation_sha256)).size).toBe(3);
  const wrong = { task: 'Say hello.', output: { type: 'nothing' } };
  expect(() => base.evidenceFor(wrong)).toThrow(
    expect.objectContaining({ code: 'millforge/document' }),
  );
});

test('refuses a blank name of a request', async () => {
  const { options } = layOut();
  await using base = await createMillforgeBase({ ...options, dataDir: null });
  await expect(base.execute({ task: 'Say hello.', requestId: ' ' })).rejects.toMatchObject({
    code: 'millforge/usage',
  });
});

test('asks for the key only when a run begins, and closes nothing that it was given', async () => {
  const { options } = layOut();
  const asked: string[] = [];
  const closed: string[] = [];
  const given = <T extends object>(name: string, part: T) =>
    Object.assign(part, {
      close: () => closed.push(name),
      [Symbol.asyncDispose]: async () => closed.push(name),
      [Symbol.dispose]: () => closed.push(name),
    });
  await using server = await startScriptedServer({ replies: [ending('submit', 'COMPLETE')] });
  const kept: string[] = [];
  const transport = given('fetch', (...request: Parameters<typeof fetch>) => fetch(...request));
  const base = await createMillforgeBase({
    ...options,
    profile: {
      profile_id: 'keyed.model',
      base_url: server.url,
      model: 'm',
      auth: { scheme: 'bearer' },
      api_key_env: 'ODD_NAME',
    },
    fetch: transport,
    secrets: given('secrets', {
      async resolve(name: string) {
        asked.push(name);
        return 'k-0123456789abcdefghij';
      },
    }),
    artifacts: given('artifacts', {
      async put(bytes: Uint8Array | AsyncIterable<Uint8Array>) {
        if (bytes instanceof Uint8Array) kept.push(new TextDecoder().decode(bytes));
        return { sha256: '', bytes: 0, media_type: '' };
      },
      async *open() {},
    }),
  });
  base.evidenceFor({ task: 'Say hello.' });
  expect([asked, server.requestCount]).toEqual([[], 0]);
  expect((await base.execute({ task: 'Say hello.' })).status).toBe('success');
  await base.close();
  expect(asked).toEqual(['ODD_NAME']);
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer k-0123456789abcdefghij');
  expect(kept).toEqual([base.plan.bytes, expect.stringContaining('millforge_base_evidence')]);
  expect(closed).toEqual([]);
});

test('a key that is nowhere refuses the run and leaves nothing', async () => {
  const { options, data } = layOut();
  await using base = await createMillforgeBase({
    ...options,
    profile: {
      profile_id: 'keyed.model',
      base_url: 'http://127.0.0.1:9/v1',
      model: 'm',
      auth: { scheme: 'bearer' },
      api_key_env: 'ODD_NAME',
    },
    env: { ODD_NAME: 'not asked' },
    secrets: { resolve: () => undefined },
  });
  await expect(base.execute({ task: 'Say hello.' })).rejects.toMatchObject({
    code: 'millforge/key-missing',
  });
  expect(filesBelow(data)).toEqual([]);
});

test.each<[string, Partial<MillforgeBaseOptions>, string]>([
  ['a folder that is not there', { cwd: '/nowhere/at/all' }, 'millforge/usage'],
  ['a relative folder', { cwd: 'here' }, 'millforge/usage'],
  [
    'a wrong profile',
    { profile: { profile_id: 'x', base_url: '', model: 'm' } },
    'millforge/document',
  ],
  ['a blank prompt', { systemPrompt: ' ' }, 'pi-tools/invalid-option'],
  ['native Windows', { platform: 'win32', cwd: '/nowhere' }, 'millforge/unsupported-platform'],
])('refuses %s and leaves nothing', async (_name, changes, code) => {
  const { options, data } = layOut();
  await expect(createMillforgeBase({ ...options, ...changes })).rejects.toMatchObject({ code });
  expect(filesBelow(data)).toEqual([]);
});

test('describes itself on every platform', () => {
  expect(describeMillforgeBase().supported_platforms).toEqual(['linux', 'darwin']);
});

test('compiles like any harness, and so does one over a part of its tools', async () => {
  await using millforge = createMillforge({ dataDir: null });
  const source = millforgeBase({ modelProfileId: 'test.model' });
  const input = {
    profiles: toModelProfileCatalog(['test.model']),
    request: { grants: BASE_GRANTS },
  };
  const whole = millforge.compile(source, input);
  if (!whole.ok) throw new Error(JSON.stringify(whole.diagnostics));
  expect(whole.diagnostics).toEqual([]);
  expect(whole.plan.required_capabilities).toEqual(BASE_GRANTS);
  expect(whole.plan.nodes.map(({ node_id: id }) => id)).toEqual(
    'bash block edit find grep ls read reject submit write'.split(' '),
  );
  const part = millforge.compile(
    {
      ...source,
      harness_id: 'my.reader.v1',
      graph: {
        nodes: {
          read: { tool_ref: 'builtin.pi_compat.read@1' },
          submit: { tool_ref: 'builtin.pi_compat.submit@1', terminal_result: 'COMPLETE' },
        },
      },
    },
    { ...input, request: { grants: ['terminal.intent', 'unrestricted.filesystem.read'] } },
  );
  if (!part.ok) throw new Error(JSON.stringify(part.diagnostics));
  const binding = (id: string, plan = whole.plan) =>
    plan.nodes.find((node) => node.node_id === id)?.binding;
  expect(binding('read', part.plan)).toEqual(binding('read'));
});

test('holds a prompt of the largest size, and odd characters', async () => {
  const { options } = layOut();
  const systemPrompt = `\u0000\u001B[31m\r\n${'é'.repeat(32_000)}`;
  await using base = await createMillforgeBase({ ...options, systemPrompt });
  const read = readPlan(base.plan.bytes);
  if (!read.ok) throw new Error(read.problems[0]);
  expect(read.plan.prompt_policy.system_instructions).toMatch(/^\uFFFD\uFFFD\[31m\né/);
});

test('is what a task runs that names no harness, under grants of the caller', async () => {
  const { options, cwd, data } = layOut();
  const task = {
    task: 'Say hello.',
    cwd,
    dataDir: data,
    model: options.profile,
    env: { HOME: cwd },
  };
  await expect(runTask({ ...task, grants: ['terminal.intent'] })).rejects.toMatchObject({
    code: 'millforge/grants-missing',
    details: {
      missing: expect.arrayContaining(BASE_GRANTS.filter((id) => id !== 'terminal.intent')),
    },
  });
  expect(filesBelow(data)).toEqual([]);
  const result = await runTask({ ...task, grants: BASE_GRANTS });
  expect(result.status).toBe('success');
  expect(
    filesBelow(join(data, 'runs', result.run_id)).map((file) => file.split('/').at(-1)),
  ).toContain('evidence.json');
});

const DEMO = join(import.meta.dirname, '../../../examples/08-coding-agent/project');

function oneNumber(type: string) {
  return { type: 'object', properties: { n: { type } }, required: ['n'] };
}

function openFilesBelow(folder: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // The one by which the folder itself was listed.
      return [];
    }
  });
}

function ending(name: string, result: string) {
  const input = { terminal_result: result, summary: 'That is all.' };
  return { tool_calls: [{ name, arguments: input }] };
}

function layOut(replies: ModelScript['replies'] = [ending('submit', 'COMPLETE')]) {
  const folder = realpathSync(testFolder());
  const cwd = join(folder, 'project');
  const data = join(folder, 'data');
  mkdirSync(cwd);
  const script: ModelScript = { kind: 'model_script', schema_version: '1.0', replies };
  const profile = { kind: 'scripted', script } as const;
  return { cwd, data, options: { profile, cwd, dataDir: data, home: null, env: ENVIRONMENT } };
}

const ENVIRONMENT = { PATH: process.env['PATH'] };
