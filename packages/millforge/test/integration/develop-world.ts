import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMillforge, type MillforgeOptions, type ModelSetting } from 'millforge';
import type { DevelopContract } from 'millforge/kernel/develop';
import {
  type RecordedRequest,
  type ScriptedServer,
  type ScriptedServerReply,
  startScriptedServer,
} from 'millforge/models/testing';
import { onTestFinished } from 'vitest';
import { testFolder } from '../support/greeter.ts';

/** Words that stand in hidden criteria only. */
export const HIDDEN_WORDS = ['zebra', 'negative-sums'];

/** A sum that is none. */
export const FAULTY = 'export const sum = (a, b) => a - b;\n';
/** The same, mended. */
export const MENDED = 'export const sum = (a, b) => a + b;\n';

/** What a phase is answered with. */
export type PhaseReplies = Readonly<
  Partial<Record<'plan' | 'research' | 'build' | 'debug', readonly ScriptedServerReply[]>>
>;

/** A call as a reply. */
export function calling(name: string, input: object): ScriptedServerReply {
  return { tool_calls: [{ name, arguments: { ...input } }] };
}

/** The end of a phase. */
export function submitting(summary: string): ScriptedServerReply {
  return calling('submit_terminal_intent', { terminal_result: 'PHASE_DONE', summary });
}

/** Replies that read, write and end. */
export const MENDING: PhaseReplies = {
  build: [
    calling('read_workspace_file', { path: 'src/sum.js' }),
    calling('write_workspace_file', { path: 'src/sum.js', content: MENDED }),
    submitting('The sum adds.'),
  ],
};

/** A repository with a fault, checks that nobody is told of, and a model server for each phase. */
export async function developWorld(
  replies: PhaseReplies = MENDING,
  more: Partial<MillforgeOptions> = {},
) {
  const folder = testFolder();
  const candidate = repository(join(folder, 'repository'));
  const checks = join(folder, 'checks');
  mkdirSync(checks);
  writeFileSync(
    join(checks, 'zebra.js'),
    "import assert from 'node:assert';\nimport { pathToFileURL } from 'node:url';\nconst { sum } = await import(pathToFileURL(`${process.cwd()}/src/sum.js`));\nassert.equal(sum(-7, -4), -11);\n",
  );
  const servers = new Map<string, ScriptedServer>();
  for (const phase of ['plan', 'research', 'build', 'debug'] as const) {
    const script = replies[phase] ?? [submitting(`${phase} is done.`)];
    const server = await startScriptedServer({ replies: script, strict: true });
    onTestFinished(() => server.close());
    servers.set(phase, server);
  }
  const options: MillforgeOptions = {
    dataDir: join(folder, 'data'),
    env: { PATH: process.env['PATH'], HOME: folder },
    fetch: (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : '';
      const phase = /Phase: (\w+), round/.exec(body)?.[1] ?? '';
      const url = servers.get(phase)?.url ?? 'http://127.0.0.1:9/v1';
      const asked = input instanceof Request ? input.url : new URL(input).href;
      return fetch(asked.replace('http://127.0.0.1:1/v1', url), init);
    },
    ...more,
  };
  const open = () => {
    const millforge = createMillforge(options);
    onTestFinished(() => millforge[Symbol.asyncDispose]());
    return millforge;
  };
  const requests = (): readonly RecordedRequest[] =>
    [...servers.values()].flatMap((server) => server.requests);
  return { folder, candidate, checks, open, requests, options };
}

function repository(directory: string): string {
  mkdirSync(join(directory, 'src'), { recursive: true });
  mkdirSync(join(directory, 'test'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}\n');
  writeFileSync(join(directory, 'src/sum.js'), FAULTY);
  writeFileSync(
    join(directory, 'test/sum.test.js'),
    "import assert from 'node:assert';\nimport { sum } from '../src/sum.js';\nassert.equal(sum(2, 2), 4);\n",
  );
  git(directory, 'init', '-q');
  git(directory, 'add', '.');
  git(directory, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'begin');
  return directory;
}

/** Runs git with nobody's configuration. */
export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: directory,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      HOME: '/nonexistent',
    },
  });
}

/** The contract of the sample. */
export function developContract(more: Partial<DevelopContract> = {}): DevelopContract {
  return {
    kind: 'develop_contract',
    schema_version: '1.0',
    goal_id: 'mend-sum',
    objective: 'Make the test pass.',
    allowed_paths: ['src'],
    criteria: [
      { name: 'test', text: 'The test passes.', command: [process.execPath, 'test/sum.test.js'] },
      {
        name: 'negative-sums',
        text: 'Sums of zebra numbers are right.',
        command: [process.execPath, '{checks}/zebra.js'],
        hidden: true,
      },
    ],
    ...more,
  };
}

/** The model of the sample; its server is chosen by what is asked. */
export const MODEL: ModelSetting = {
  kind: 'endpoint',
  profile: {
    profile_id: 'test.model',
    base_url: 'http://127.0.0.1:1/v1',
    model: 'scripted',
  },
};
