import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMillforge, type MillforgeOptions } from 'millforge';
import {
  type RecordedRequest,
  type ScriptedServer,
  type ScriptedServerReply,
  startScriptedServer,
} from 'millforge/models/testing';
import { onTestFinished } from 'vitest';
import { testFolder } from '../support/greeter.ts';
import { FAULTY, MENDED, routedFetch } from './develop-sample.ts';

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
  const urls = new Map([...servers].map(([phase, { url }]) => [phase, url]));
  const options: MillforgeOptions = {
    dataDir: join(folder, 'data'),
    env: { PATH: process.env['PATH'], HOME: folder },
    fetch: routedFetch(urls),
    ...more,
  };
  const open = () => {
    const millforge = createMillforge(options);
    onTestFinished(() => millforge[Symbol.asyncDispose]());
    return millforge;
  };
  const requests = (): readonly RecordedRequest[] =>
    [...servers.values()].flatMap((server) => server.requests);
  return {
    folder,
    candidate,
    checks,
    open,
    requests,
    options,
    urls: Object.fromEntries(urls),
  };
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
