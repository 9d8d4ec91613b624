import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '@millforge/contracts';
import type {
  CheckRunner,
  DevelopContract,
  PhaseContext,
  PhaseWorker,
  WorkPhase,
} from '@millforge/kernel/develop';
import { git, makeTree } from './trees.ts';

/** A small repository with a fault in it. */
export function makeRepository(directory: string): string {
  makeTree(directory, {
    'src/sum.sh': { content: 'echo $(($1 - $2))\n' },
    'test/sum.test.sh': { content: 'test "$(sh src/sum.sh 2 2)" = 4\n' },
    'readme.md': { content: 'It sums.\n' },
    'node_modules/left/out.js': { content: '' },
  });
  git(directory, ['init', '-q']);
  git(directory, ['add', 'src', 'test', 'readme.md']);
  git(directory, ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'begin']);
  return directory;
}

/** Checks that no model sees. */
export function makeChecks(directory: string): string {
  return makeTree(directory, {
    'negative.sh': {
      content: 'test "$(sh src/sum.sh -7 -4)" = -11 || { echo zebra numbers; exit 1; }\n',
    },
  });
}

/** What is hidden in the sample, word by word. */
export const HIDDEN_WORDS = ['zebra', 'negative'];

/** A contract for the repository, judged by its own test and by the hidden check. */
export function developContract(more: Partial<DevelopContract> = {}): DevelopContract {
  return {
    kind: 'develop_contract',
    schema_version: '1.0',
    goal_id: 'mend-sum',
    objective: 'Make the test pass.',
    allowed_paths: ['src'],
    ignore: ['**/node_modules'],
    criteria: [
      { name: 'test', text: 'The test passes.', command: ['sh', 'test/sum.test.sh'] },
      {
        name: 'zebra-sums',
        text: 'Sums of zebra numbers are right.',
        command: ['sh', '{checks}/negative.sh'],
        hidden: true,
      },
    ],
    ...more,
  };
}

/** Runs the commands of criteria as plain processes. */
export const runPlain: CheckRunner = ({ argv, directory, timeoutMs, signal }) =>
  new Promise((resolve, reject) => {
    const [program = '', ...rest] = argv;
    const child = spawn(program, rest, { cwd: directory, timeout: timeoutMs, signal });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (exitCode, by) =>
      resolve({
        exitCode,
        timedOut: by === 'SIGTERM',
        output: Buffer.concat(chunks),
        boundary: null,
      }),
    );
  });

/** What the worker of a phase does; whatever it returns is its summary. */
export type Act = (context: PhaseContext) => Promise<string>;

/** A worker without a model. */
export function worker(phase: WorkPhase, act: Act, more: Partial<PhaseWorker> = {}): PhaseWorker {
  return {
    kind: 'tool',
    name: `sample.${phase}`,
    version: '1',
    parameters: null,
    run: async (context) => ({ summary: await act(context) }),
    ...more,
  };
}

/** Workers that only report, but for those that are given. */
export function workers(
  given: Partial<Record<WorkPhase, PhaseWorker>> = {},
): Record<WorkPhase, PhaseWorker> {
  const idle = (phase: WorkPhase) => worker(phase, async () => `${phase} is done`);
  return {
    plan: idle('plan'),
    research: idle('research'),
    build: worker('build', async (context) => write(context, 'src/sum.sh', MENDED)),
    debug: idle('debug'),
    ...given,
  };
}

/** The sum without its fault. */
export const MENDED = 'echo $(($1 + $2))\n';

/** Writes a file of the candidate as an operation that can be looked up; `onEffect` is told when it happened. */
export async function write(
  { operations, directory, onEffect }: PhaseContext & { readonly onEffect?: () => void },
  path: string,
  content: string,
): Promise<string> {
  const place = join(directory, path);
  const outcome = await operations.perform(
    {
      key: `tool/1/${path}`,
      step: 1,
      kind: 'tool',
      effect: 'write',
      repeat: 'unsafe',
      metered: false,
      input: { path, content },
      describe: `write ${path}`,
      reconcile: async () => {
        const isThere = readWithout(place) === content;
        return isThere ? { kind: 'happened', value: null } : { kind: 'not-happened' };
      },
    },
    async () => {
      writeFileSync(place, content);
      onEffect?.();
      const value: JsonValue = null;
      return { value };
    },
  );
  return `${path}: ${outcome.kind}`;
}

function readWithout(place: string): string | null {
  try {
    return readFileSync(place, 'utf8');
  } catch {
    return null;
  }
}
