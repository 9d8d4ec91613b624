import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ModelClient } from '@millforge/contracts';
import { createReview, modelRole, readReview, startReview } from '@millforge/kernel/review';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundleChild } from '../bundle-child.ts';
import { open, scope, systemClock, temporaryDirectory } from '../fixture.ts';
import { answering, answerOf, head, repositoryOf } from './fixture.ts';

const FILES = {
  'a.ts': `${'a'.repeat(150)}\n`,
  'b.ts': `${'b'.repeat(150)}\n`,
  'c.ts': `${'c'.repeat(150)}\n`,
};

let child: string;

beforeAll(async () => {
  child = await bundleChild(join(import.meta.dirname, 'review-child.ts'));
});

/** A model server on loopback that keeps the files it was asked about, in order. */
async function modelServer(): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    let text = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (chunk: string) => {
      text += chunk;
    });
    incoming.on('end', () => {
      asked.push(/file [0-9a-f]{12} \\"([a-z]\.ts)\\"/.exec(text)?.[1] ?? '');
      outgoing.end(answerOf([]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, asked };
}

/** Runs the review in a process that dies at a failpoint, or to its end; gives how it ended. */
function reviewIn(directory: string, ...args: readonly string[]): Promise<string> {
  const started = spawn(process.execPath, [child, directory, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = '';
  started.stdout.setEncoding('utf8');
  started.stdout.on('data', (text: string) => {
    written += text;
  });
  return new Promise((resolve) => {
    started.on('close', (_status, signal) => resolve(signal ?? written.trim()));
  });
}

test.each([
  ['after the capture was recorded', 'after:record-result', 1, 0],
  ['before the first question', 'before:admit-operation', 1, 0],
  ['after the first answer was recorded', 'after:record-operation', 1, 1],
  ['after the second answer was recorded', 'after:record-operation', 2, 2],
  ['while a file of the capture is kept', 'before:save-artifact', 2, 0],
  ['before the report was recorded', 'before:record-result', 4, 3],
] as const)(
  'goes on after a kill %s: no question that was answered is asked again',
  { tags: ['slow'] },
  async (...[_when, failpoint, count, answered]) => {
    const [repository, directory] = [repositoryOf(FILES), temporaryDirectory()];
    const { url, asked } = await modelServer();
    const parts = [repository, url] as const;
    expect(await reviewIn(directory, ...parts, failpoint, String(count))).toBe('SIGKILL');
    expect(asked).toHaveLength(answered);
    expect(await reviewIn(directory, ...parts)).toBe('completed complete');
    expect(asked).toEqual(['a.ts', 'b.ts', 'c.ts']);
    const kernel = await open(directory);
    expect((await readReview(kernel, scope, 'review-1')).report?.result).toBe('complete');
    expect((await kernel.verifyTrail(scope, 'review-1')).ok).toBe(true);
  },
);

test('waits for a model that cannot be reached, and goes on when it can', async () => {
  const kernel = await open(temporaryDirectory());
  const source = await head(repositoryOf(FILES));
  let isUp = false;
  const answers = answering(() => answerOf([]));
  const model: ModelClient = {
    complete: async (request, options) =>
      isUp || answers.requests.length < 1
        ? answers.complete(request, options)
        : {
            kind: 'failed',
            category: 'connection',
            message: 'Nobody listens at that address.',
            retryable: true,
            sent: false,
          },
  };
  const start = () => {
    const role = modelRole({ role: 'tests', model, modelIdentity: 'm', batchBytes: 200 });
    const review = createReview({ source, roles: [role] });
    return startReview({ kernel, scope, clock: systemClock }, { reviewId: 'r', review });
  };
  const waiting = await (await start()).done;
  expect(waiting.report).toBeNull();
  expect(waiting.goal.interruption).toMatchObject({
    reason: 'unavailable',
    failure_class: 'model_unavailable',
  });
  isUp = true;
  const { report } = await (await start()).done;
  expect(report?.result).toBe('complete');
  expect(answers.requests).toHaveLength(3);
});

test('refuses to go on with a review by another model', async () => {
  const kernel = await open(temporaryDirectory());
  const source = await head(repositoryOf(FILES));
  const start = (modelIdentity: string, isDown: boolean) => {
    const model: ModelClient = isDown
      ? {
          complete: async () => ({
            kind: 'failed',
            category: 'connection',
            message: 'Down.',
            retryable: true,
            sent: false,
          }),
        }
      : answering(() => answerOf([]));
    const review = createReview({
      source,
      roles: [modelRole({ role: 'tests', model, modelIdentity })],
    });
    return startReview({ kernel, scope, clock: systemClock }, { reviewId: 'r', review });
  };
  await (await start('small', true)).done;
  // Another model makes another contract, and the name is taken.
  await expect(start('large', false)).rejects.toMatchObject({ code: 'kernel/goal-conflict' });
});
