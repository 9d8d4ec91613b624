import { readFile } from 'node:fs/promises';
import type { ToolResult } from '@millforge/contracts';
import type { CommandRunner, RunnableCommand } from '@millforge/pi-tools';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOf, toolWorld } from './tool-world.ts';

const quiet = { exitCode: 0, signal: null };

test('hands a command to the runner of the host with folder and environment', async () => {
  const seen: RunnableCommand[] = [];
  const world = await toolWorld({
    environment: { PATH: '/bin', API_TOKEN: 'abc' },
    runCommand: async (command) => {
      seen.push(command);
      await command.write(Buffer.from('hi\n'));
      return quiet;
    },
  });
  expect(textOf(await world.call('bash', { command: 'echo hi' }))).toBe('hi\n');
  expect(seen).toMatchObject([
    {
      command: 'echo hi',
      folder: world.workspace,
      environment: { PATH: '/bin', MILLFORGE_CALL_KEY: world.key },
    },
  ]);
  expect(seen[0]?.environment).not.toHaveProperty('API_TOKEN');
});

test('words the end of a command of a runner like that of any other', async () => {
  expect(await ending(async () => ({ exitCode: 3, signal: null }))).toMatchObject({
    code: 'process_exit_nonzero',
    text: '(no output)\n\nCommand exited with code 3',
    certainty: 'confirmed_complete',
  });
  expect(await ending(async () => ({ exitCode: null, signal: 'SIGKILL' }))).toMatchObject({
    text: '(no output)\n\nCommand terminated by signal SIGKILL',
  });
  expect(await ending(() => Promise.reject(new Error('no container')))).toMatchObject({
    code: 'process_launch_error',
    text: 'no container',
    certainty: 'not_attempted',
  });
});

test('stops a runner at the time-out, and says whether it was seen to end', async () => {
  const world = await toolWorld({
    runCommand: ({ signal }) =>
      new Promise((settle) => {
        signal.addEventListener('abort', () => settle({ exitCode: null, signal: 'SIGTERM' }));
      }),
  });
  expect(await world.call('bash', { command: 'x', timeout: 0.05 })).toMatchObject({
    code: 'timeout',
    text: 'Command timed out after 0.05 seconds',
    certainty: 'confirmed_complete',
  });
  const stop = new AbortController();
  const running = world.call('bash', { command: 'x' }, { signal: stop.signal });
  stop.abort();
  expect(await running).toMatchObject({ code: 'cancelled', text: 'Command aborted' });
});

async function ending(runCommand: CommandRunner): Promise<ToolResult> {
  return (await toolWorld({ runCommand })).call('bash', { command: 'x' });
}

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('\n', '\n\n', '\r\n', '\uFEFF', '🙂'.repeat(300), 'é'.repeat(5000)),
  fc.constantFrom('x'.repeat(60_000), 'line\n'.repeat(2500), `${'y'.repeat(120)}\n`.repeat(600)),
);
const output = fc.record({
  bytes: fc
    .tuple(fc.array(piece, { maxLength: 6 }), fc.uint8Array({ maxLength: 20 }))
    .map(([pieces, wild]) => Buffer.concat([Buffer.from(pieces.join('')), wild])),
  sizes: fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 8 }),
});

test('says the same however the output is cut into pieces', {
  tags: ['slow'],
  timeout: 60_000,
}, async () => {
  let chunks: readonly Uint8Array[] = [];
  const world = await toolWorld({
    runCommand: async ({ write }) => {
      for (const chunk of chunks) await write(chunk);
      return quiet;
    },
  });
  const say = async (pieces: readonly Uint8Array[]): Promise<ToolResult> => {
    chunks = pieces;
    return world.call('bash', { command: 'x' });
  };
  await fc.assert(
    fc.asyncProperty(output, async ({ bytes, sizes }) => {
      const whole = await say([bytes]);
      expect(await say(cut(bytes, sizes))).toEqual(whole);
      const log = /Full output: (\S+)\]$/.exec(whole.text ?? '')?.[1];
      if (log !== undefined) expect(await readFile(log)).toEqual(bytes);
    }),
    { numRuns: 15 },
  );
});

/** Pieces of the given sizes, over and over; larger ones where there would be very many. */
function cut(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = Math.max(sizes[turn % sizes.length] ?? 1, Math.ceil(bytes.length / 50));
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
