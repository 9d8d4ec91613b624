import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ToolCall } from './oracle-case.ts';

/** Calls that one side makes in one folder. */
export interface SideRequest {
  readonly id: string;
  readonly cwd: string;
  readonly profile: 'default' | 'strict';
  readonly calls: readonly ToolCall[];
  readonly isParallel: boolean;
}

/** What one call answered. */
export interface SideResult {
  readonly isError: boolean;
  readonly text: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A side: its program, its environment and the user that it runs as. */
export interface Side {
  readonly program: 'pi' | 'millforge';
  readonly environment: Readonly<Record<string, string>>;
  /** Number of the user; null for this one. */
  readonly uid: number | null;
  readonly folder: string;
}

/** Answers by id. */
export type SideAnswers = ReadonlyMap<string, readonly SideResult[]>;

/** Starts a side, makes all its calls, and waits for its end. */
export async function runSide(side: Side, requests: readonly SideRequest[]): Promise<SideAnswers> {
  const loader =
    side.program === 'pi'
      ? []
      : ['--import', import.meta.resolve('tsx'), '--conditions=millforge-src'];
  const program = new URL(`../side/${side.program}.mjs`, import.meta.url).pathname;
  const child = spawn(process.execPath, [...loader, program], {
    cwd: side.folder,
    env: side.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(side.uid === null ? {} : { uid: side.uid, gid: side.uid }),
  });
  const answers = new Map<string, readonly SideResult[]>();
  const errors: string[] = [];
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  const ended = new Promise<number | null>((settle, fail) => {
    child.once('error', fail);
    child.once('close', settle);
  });
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, results } = JSON.parse(line);
      answers.set(id, results);
    }
  })();
  child.stdin.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
  const [code] = await Promise.all([ended, reading]);
  if (code !== 0) throw new Error(`${side.program} ended with ${code}: ${errors.join('')}`);
  return answers;
}
