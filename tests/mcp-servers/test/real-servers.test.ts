import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectorToolSelection } from '@millforge/connectors';
import type { JsonObject } from '@millforge/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admit, discover, programOf, serve, toolsOf } from './real-server.ts';
import { runOneCall } from './run-one-call.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-servers-')));
  writeFileSync(join(folder, 'note.txt'), 'a note\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Server {
  readonly name: string;
  readonly script: string;
  readonly args?: () => readonly string[];
  readonly environment?: () => Readonly<Record<string, string>>;
  readonly call: string;
  readonly terms: Partial<ConnectorToolSelection>;
  readonly input: () => JsonObject;
  readonly text: string;
}

const READS = { side_effect_class: 'read_only', idempotency: 'idempotent' } as const;
const SERVERS: readonly Server[] = [
  {
    name: 'everything',
    script: programOf('@modelcontextprotocol/server-everything', 'dist/index.js'),
    call: 'echo',
    terms: READS,
    input: () => ({ message: 'seen' }),
    text: 'seen',
  },
  {
    name: 'filesystem',
    script: programOf('@modelcontextprotocol/server-filesystem', 'dist/index.js'),
    args: () => [folder],
    call: 'read_text_file',
    terms: READS,
    input: () => ({ path: join(folder, 'note.txt') }),
    text: 'a note',
  },
  {
    name: 'memory',
    script: programOf('@modelcontextprotocol/server-memory', 'dist/index.js'),
    environment: () => ({ MEMORY_FILE_PATH: join(folder, 'memory.json') }),
    call: 'create_entities',
    terms: { side_effect_class: 'network_write' },
    input: () => ({
      entities: [{ name: 'Mill', entityType: 'house', observations: ['it turns'] }],
    }),
    text: 'it turns',
  },
  {
    name: 'sequential thinking',
    script: programOf('@modelcontextprotocol/server-sequential-thinking', 'dist/index.js'),
    call: 'sequentialthinking',
    terms: READS,
    input: () => ({ thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
    text: 'thoughtNumber',
  },
  {
    name: 'memory bank',
    script: programOf('@allpepper/memory-bank-mcp', 'dist/main/index.js'),
    environment: () => ({ MEMORY_BANK_ROOT: folder }),
    call: 'list_projects',
    terms: READS,
    input: () => ({}),
    text: '',
  },
  {
    name: 'commands',
    script: programOf('@agent-infra/mcp-server-commands', 'dist/index.cjs'),
    call: 'run_command',
    terms: { side_effect_class: 'process_execution' },
    input: () => ({ command: 'echo ran' }),
    text: 'ran',
  },
];

test.each(SERVERS)(
  'the server $name is discovered, admitted, and called by a harness',
  { tags: ['slow'] },
  async (server) => {
    const transport = serve(server.script, {
      folder,
      args: server.args?.() ?? [],
      environment: server.environment?.() ?? {},
    });
    const snapshot = await discover(transport);
    const terms = { approval_policy: 'millrace_explicit', ...server.terms } as const;
    const admitted = admit(snapshot, { [server.call]: terms });
    const { broker, tools } = toolsOf(admitted, snapshot, transport);
    await using _ = broker;
    const result = await runOneCall(tools, { input: server.input(), cwd: folder });
    expect(result.status).toBe('success');
    expect(result.text).toContain(server.text);
  },
);

test('a server is refused once its program was patched', { tags: ['slow'] }, async () => {
  const script = programOf('@modelcontextprotocol/server-everything', 'dist/index.js');
  const transport = serve(script, { folder });
  const snapshot = await discover(transport);
  await transport[Symbol.asyncDispose]();
  const admitted = admit(snapshot, { echo: { ...READS, approval_policy: 'none' } });
  const patched = join(folder, 'patched.mjs');
  writeFileSync(patched, `// patched\nawait import(${JSON.stringify(script)});\n`);
  const { broker, tools } = toolsOf(admitted, snapshot, serve(patched, { folder }));
  await using _ = broker;
  const result = await runOneCall(tools, { input: { message: 'seen' }, cwd: folder });
  expect(result).toMatchObject({ status: 'hard_failure', code: 'binding_mismatch' });
  expect(result.text).toContain('connector_identity_sha256');
});
