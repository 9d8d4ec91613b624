import { chmod, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOf, toolWorld } from './tool-world.ts';

test('shows both outputs in the order in which they were written', async () => {
  const world = await toolWorld();
  const command =
    'for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done; ls --no-such-option; echo end';
  const result = await world.call('bash', { command });
  expect(textOf(result)).toMatch(
    /^(out (\d)\nerr \2\n){5}ls: unrecognized option[^\n]*\n[^\n]*\nend\n$/,
  );
});

test('tells an error of the shell with the line where it is', async () => {
  const world = await toolWorld();
  const command = 'true\nno-such-program\necho $LINENO $0 $#\n)';
  const result = await world.call('bash', { command });
  expect(result.text?.split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/line 2: no-such-program: command not found$/),
    '3 /bin/bash 0',
    expect.stringMatching(/line 4: syntax error near unexpected token `\)'$/),
  ]);
});

test('leaves the outputs of what a command starts apart', async () => {
  const world = await toolWorld();
  const command = 'bash -c "echo in >&2; echo [$BASH_ENV]" 2>/dev/null; env | grep -c BASH_ENV';
  const result = await world.call('bash', { command });
  expect(result.text).toBe('[]\n0\n\n\nCommand exited with code 1');
});

test('keeps the file that the host lets bash read first', async () => {
  const world = await toolWorld();
  await writeFile(world.path('first.sh'), 'greet() { echo hello; echo there >&2; }\n');
  const environment = { PATH: '/usr/bin:/bin', BASH_ENV: world.path('first.sh') };
  const other = await toolWorld({ environment });
  expect(textOf(await other.call('bash', { command: 'greet; echo end' }))).toBe(
    'hello\nthere\nend\n',
  );
});

test('joins the outputs of any other shell, too', async () => {
  const world = await toolWorld({ shellPath: '/bin/sh' });
  const command = 'echo 1; echo 2 >&2; echo 3; echo [$BASH_ENV]';
  expect(textOf(await world.call('bash', { command }))).toBe('1\n2\n3\n[]\n');
});

test('loses nothing that a shell of that name writes, even if it joins nothing', async () => {
  const world = await toolWorld();
  const shellPath = world.path('bash');
  await writeFile(shellPath, '#!/bin/sh\necho out\necho err >&2\n');
  await chmod(shellPath, 0o755);
  const other = await toolWorld({ shellPath });
  const text = textOf(await other.call('bash', { command: 'anything' }));
  expect(text.split('\n').toSorted()).toEqual(['', 'err', 'out']);
});

test('counts the same lines however the output comes in pieces', { tags: ['slow'] }, async () => {
  const world = await toolWorld({ profile: 'default' });
  const line = fc
    .nat({ max: 9000 })
    .map((length) => 'é'.repeat(length / 2) + 'x'.repeat(length % 7));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 12 }),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 5 }),
      async (lines, isEnded, cuts) => {
        const whole = Buffer.from(lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : ''));
        const [one, many] = await Promise.all(
          [[whole.length || 1], cuts].map(async (sizes, index) => {
            const runner = await toolWorld({
              logDirectory: world.workspace,
              runCommand: async ({ write }) => {
                for (let at = 0, turn = 0; at < whole.length; turn++) {
                  const size = sizes[turn % sizes.length] ?? whole.length;
                  await write(whole.subarray(at, at + size));
                  at += size;
                }
                return { exitCode: 0, signal: null };
              },
            });
            const result = await runner.call(
              'bash',
              { command: 'x' },
              { idempotencyKey: `k${index}` },
            );
            return textOf(result).replace(/millforge-bash-\w+/, 'log');
          }),
        );
        expect(many).toBe(one);
      },
    ),
    { numRuns: 25, seed: 7 },
  );
});

test('tells whoever watches what there is so far, beginning with nothing and ending with all', async () => {
  const world = await toolWorld();
  const updates: string[] = [];
  const command = 'echo 1; sleep 0.15; echo 2; sleep 0.15; echo 3';
  const onUpdate = (text: string) => void updates.push(text);
  const result = await world.call('bash', { command }, { onUpdate });
  expect(updates[0]).toBe('');
  expect(updates.at(-1)).toBe(textOf(result));
  expect(updates.length).toBeGreaterThan(2);
  for (const update of updates) expect('1\n2\n3\n').toMatch(new RegExp(`^${update}`));
});

test('tells whoever watches no more often than every 100 ms, and of long output the end', async () => {
  const world = await toolWorld();
  const updates: string[] = [];
  const began = performance.now();
  const onUpdate = (text: string) => void updates.push(text);
  const result = await world.call('bash', { command: 'seq 300000' }, { onUpdate });
  expect(updates.length).toBeLessThan(3 + (performance.now() - began) / 100);
  expect(updates.at(-1)).toBe(textOf(result));
  expect(updates.every((text) => text.length < 60_000)).toBe(true);
});

test('puts the prefix of the host before every command, and lets its hook change the rest', async () => {
  const world = await toolWorld({
    commandPrefix: 'greeting=hello',
    spawnHook: ({ command, cwd, env }) => ({
      command: `${command}; echo $added`,
      cwd: cwd === '/' ? cwd : '/',
      env: { ...env, added: 'by the hook' },
    }),
  });
  const result = await world.call('bash', { command: 'echo $greeting $PWD' });
  expect(textOf(result)).toBe('hello /\nby the hook\n');
});

test('says so when the hook chooses a folder that is not there', async () => {
  const world = await toolWorld({
    spawnHook: (context) => ({ ...context, cwd: '/no/such/folder' }),
  });
  expect(await world.call('bash', { command: 'true' })).toMatchObject({
    kind: 'failed',
    code: 'not_found',
    text: 'Working directory does not exist: /no/such/folder\nCannot execute bash commands.',
  });
});

test('shows the same end of output that comes in small pieces', async () => {
  const whole = Buffer.from('é and more of a line\n'.repeat(6000));
  const ends = await Promise.all(
    [whole.length, 13].map(async (size) => {
      const world = await toolWorld({
        runCommand: async ({ write }) => {
          for (let at = 0; at < whole.length; at += size)
            await write(whole.subarray(at, at + size));
          return { exitCode: 0, signal: null };
        },
      });
      const result = await world.call('bash', { command: 'x' });
      return textOf(result).replace(/Full output: .*/, '');
    }),
  );
  expect(ends[1]).toBe(ends[0]);
  expect(ends[0]).toMatch(/^é and more/);
});
