import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type ToolWorld, temporaryFolder, textOf, toolWorld, until } from './tool-world.ts';

test.each([
  ['echo hi', 'hi\n'],
  ['true', '(no output)'],
  ['', '(no output)'],
  ['printf "a\\n\\n"', 'a\n\n'],
  ['cat; echo done', 'done\n'],
  ['echo $0 $-', '/bin/bash hBc\n'],
  ['printf "\\303"; sleep 0.05; printf "\\251"', 'é'],
  ['printf "\\377"', '\uFFFD'],
])('runs %s', async (command, text) => {
  expect(textOf(await run(await toolWorld(), command))).toBe(text);
});

test('gives both outputs in the order in which they were written', async () => {
  const command = 'echo 1; echo 2 >&2; echo 3; echo 4 >&2';
  expect(textOf(await run(await toolWorld(), command))).toBe('1\n2\n3\n4\n');
});

test('runs in the workspace and remembers nothing', async () => {
  const world = await toolWorld();
  textOf(await run(world, 'cd /; export Z=1'));
  expect(textOf(await run(world, 'pwd; echo [$Z]'))).toBe(`${world.workspace}\n[]\n`);
});

test.each([
  ['false', 1, '(no output)\n\nCommand exited with code 1'],
  ['echo a; exit 3', 3, 'a\n\n\nCommand exited with code 3'],
  ['kill -9 $$', 137, '(no output)\n\nCommand terminated by signal SIGKILL'],
])('counts %s as a failure that is known to be complete (KB-28)', async (command, code, text) => {
  expect(await run(await toolWorld(), command)).toMatchObject({
    kind: 'failed',
    code: 'process_exit_nonzero',
    text,
    data: { truncated: false, exit_code: code },
    certainty: 'confirmed_complete',
  });
});

test('gives the words of the shell about a wrong command', async () => {
  const result = await run(await toolWorld(), 'if');
  expect(result.text).toContain('/bin/bash: -c: line 2: syntax error: unexpected end of file');
});

test('shows the last 2000 lines and keeps all in a file', async () => {
  const world = await toolWorld();
  const result = await run(world, 'seq 3000');
  const [name] = await readdir(world.workspace);
  const log = world.path(name ?? '');
  expect(textOf(result)).toMatch(/^1001\n/);
  expect(
    textOf(result).endsWith(`3000\n\n[Showing lines 1001-3000 of 3000. Full output: ${log}]`),
  ).toBe(true);
  expect(result).toMatchObject({ truncated: true, data: { truncated: true, exit_code: 0 } });
  expect(await readFile(log, 'utf8')).toBe(execFileSync('seq', ['3000'], { encoding: 'utf8' }));
});

test('shows the last 50KB of long lines', async () => {
  const result = await run(
    await toolWorld(),
    `for i in $(seq 600); do printf '%0100d\\n' $i; done`,
  );
  expect(textOf(result)).toMatch(
    /\n\n\[Showing lines 95-600 of 600 \(50\.0KB limit\)\. Full output: /,
  );
});

test('shows the end of a last line that is too long, with its true size (KB-25)', async () => {
  const world = await toolWorld();
  for (const end of ['', '; echo']) {
    const result = await run(world, `echo start; head -c 250000 /dev/zero | tr '\\0' x${end}`);
    expect(textOf(result)).toMatch(
      /^x{8192}\n\n\[Showing last 8\.0KB of line 2 \(line is 244\.1KB\)\. Full output: /,
    );
  }
});

test('ends a command after its own time-out as a soft failure (D-04)', async () => {
  const world = await toolWorld();
  const result = await run(world, 'echo a; sleep 30; touch never', { timeout: 0.3 });
  expect(result).toEqual({
    kind: 'failed',
    code: 'timeout',
    text: 'a\n\n\nCommand timed out after 0.3 seconds',
    data: { truncated: false },
    certainty: 'confirmed_complete',
    after: { processes_alive: false },
  });
  expect(await readdir(world.workspace)).toEqual([]);
});

test('ends the whole group, also what ignores being asked', async () => {
  const world = await toolWorld();
  const command = `trap '' TERM; (trap '' TERM; echo $BASHPID > child; while :; do sleep 0.1; done) & wait; sleep 30`;
  const stop = new AbortController();
  const running = run(world, command, {}, stop.signal);
  await until(async () => (await readdir(world.workspace)).includes('child'));
  await until(async () => (await readFile(world.path('child'), 'utf8')) !== '');
  stop.abort();
  expect(await running).toMatchObject({
    kind: 'failed',
    code: 'cancelled',
    text: 'Command aborted',
    certainty: 'confirmed_complete',
  });
  expect(await alive(world)).toBe(false);
});

test.each([
  ['left the group', 'setsid sh -c "echo \\$\\$ > child; exec sleep 30" & sleep 30'],
  [
    'left the group and its environment',
    'env -i setsid sh -c "echo \\$\\$ > child; sleep 30" & wait',
  ],
  [
    'became a daemon with an empty environment',
    '((env -i setsid sh -c "echo \\$\\$ > child; exec sleep 30" >/dev/null 2>&1 &) &); sleep 30',
  ],
  ['stops itself', '(echo $BASHPID > child; kill -STOP $BASHPID; sleep 30) & wait'],
])('leaves no descendant behind that %s', async (_what, command) => {
  const world = await toolWorld();
  const stop = new AbortController();
  const running = run(world, command, {}, stop.signal);
  await until(async () => (await readdir(world.workspace)).includes('child'));
  await until(async () => (await readFile(world.path('child'), 'utf8')) !== '');
  stop.abort();
  expect(await running).toMatchObject({
    code: 'cancelled',
    certainty: 'confirmed_complete',
    after: { processes_alive: false },
  });
  expect(await isRunning(Number(await readFile(world.path('child'), 'utf8')))).toBe(false);
});

test('leaves no descendant behind in another shell that left all but its parent', async () => {
  // Other shells than bash leave no mark on what they start, so the tree has to be known before it is ended.
  const world = await toolWorld({ shellPath: '/bin/sh' });
  const daemon = `trap '' TERM; echo $$ > child; while :; do sleep 0.1; done`;
  await writeFile(world.path('daemon'), daemon);
  const stop = new AbortController();
  const running = run(world, 'env -i setsid /bin/sh daemon & wait', {}, stop.signal);
  await until(async () => (await readdir(world.workspace)).includes('child'));
  await until(async () => (await readFile(world.path('child'), 'utf8')) !== '');
  stop.abort();
  expect(await running).toMatchObject({ after: { processes_alive: false } });
  expect(await isRunning(Number(await readFile(world.path('child'), 'utf8')))).toBe(false);
});

test('leaves the processes of the background alone and notes them, or ends them (KB-27)', async () => {
  const command = 'sleep 30 >/dev/null & echo $!';
  const kept = await run(await toolWorld(), command);
  const pid = Number(textOf(kept));
  expect(kept).toMatchObject({ after: { exit_code: 0, background_pids: [pid] } });
  expect(await isRunning(pid)).toBe(true);
  process.kill(pid);
  const ended = await run(await toolWorld({ backgroundProcesses: 'end' }), command);
  expect(ended).not.toMatchObject({ after: { background_pids: expect.anything() } });
  expect(await isRunning(Number(textOf(ended)))).toBe(false);
});

test('starts no further command of a list that is being ended (KB-29)', async () => {
  const world = await toolWorld();
  const command = "trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done); touch never";
  expect(await run(world, command, { timeout: 0.2 })).toMatchObject({ code: 'timeout' });
  expect(await readdir(world.workspace)).toEqual([]);
});

test('counts every line once and keeps a log for either limit (KB-26)', async () => {
  const world = await toolWorld();
  const byLines = textOf(await run(world, 'seq 4000'));
  expect(byLines).toMatch(/\n\n\[Showing lines 2001-4000 of 4000\. Full output: \/\S+\]$/);
  const byBytes = textOf(await run(world, "for i in $(seq 10); do printf '%07000d\\n' $i; done"));
  expect(byBytes).toMatch(/\[Showing lines 4-10 of 10 \(50\.0KB limit\)\. Full output: \/\S+\]$/);
});

test('shows of a very long line its end, and keeps the rest in the log (KB-48)', async () => {
  const world = await toolWorld();
  const command = `echo first; head -c 20000 /dev/zero | tr '\\0' x; echo end; echo last`;
  const text = textOf(await run(world, command));
  expect(text).toMatch(
    /^first\nx{8189}end\nlast\n\n\[Some lines truncated to their last 8\.0KB\. /,
  );
  const log = /Full output: (\S+)\]$/.exec(text)?.[1] ?? '';
  expect(await readFile(log, 'utf8')).toBe(`first\n${'x'.repeat(20_000)}end\nlast\n`);
});

test('does not wait for processes in the background (KB-21)', async () => {
  const world = await toolWorld();
  const begun = performance.now();
  expect(textOf(await run(world, 'sleep 20 & echo $! > child; echo done'))).toBe('done\n');
  expect(performance.now() - begun).toBeLessThan(3000);
  process.kill(Number(await readFile(world.path('child'), 'utf8')));
});

test('waits for what is written soon after the shell has ended (KB-20)', async () => {
  const world = await toolWorld();
  expect(textOf(await run(world, '(sleep 0.01; echo late) & echo done'))).toBe('done\nlate\n');
});

test('reports the exit of the shell though a process goes on writing (KB-22)', async () => {
  const world = await toolWorld();
  // It writes without a pause, since a pause of 100 ms counts as an end.
  const command = 'timeout 4 yes tick & exit 0';
  expect(await run(world, command)).toMatchObject({
    kind: 'done',
    text: expect.stringMatching(/tick\n[^]*\n\n\[A process in the background goes on writing/),
    after: { exit_code: 0, is_still_writing: true },
  });
});

test('takes a command for a command, whatever it begins with', async () => {
  const world = await toolWorld();
  for (const command of ['-c', '--version', '+x']) {
    expect(await run(world, command)).toMatchObject({
      code: 'process_exit_nonzero',
      text: expect.stringContaining(`${command}: command not found`),
    });
  }
});

test('says what is wrong with a command that no process can be given', async () => {
  const world = await toolWorld();
  expect(await run(world, 'echo a\0b')).toMatchObject({
    code: 'invalid_arguments',
    text: 'A command must not contain a NUL character; write \\0 for one.',
  });
});

test('refuses a time-out that no timer can hold (KB-23)', async () => {
  expect(await run(await toolWorld(), 'true', { timeout: 99_999_999 })).toMatchObject({
    code: 'invalid_arguments',
    text: 'Invalid timeout: 99999999. It is in seconds and at most 2147483.',
  });
});

test('tells a time-out in milliseconds that it is none (KB-24)', async () => {
  expect(textOf(await run(await toolWorld(), 'echo a', { timeout: 30_000 }))).toBe(
    'a\n\n\n[timeout 30000 is above 1800 seconds, after which every command is ended. It is in seconds, not in milliseconds.]',
  );
});

test('keeps secrets out of the environment unless they are named', async () => {
  const environment = {
    PATH: '/usr/bin:/bin',
    LANG: 'C',
    API_TOKEN: 'abc',
    STRIPE_KEY: 'def',
    DB_URL: 'postgres://me:secret12@db/x',
    KEPT_SECRET: 'ghi',
    UNSET: undefined,
  };
  const world = await toolWorld({ environment, keepVariables: ['KEPT_SECRET'] });
  const names = textOf(await run(world, 'env | cut -d= -f1 | sort'));
  expect(names.trim().split('\n')).toEqual(
    ['KEPT_SECRET', 'LANG', 'MILLFORGE_CALL_KEY', 'PATH', 'PWD', 'SHLVL', '_'].toSorted(),
  );
});

test('has nothing of the host in the environment by default', async () => {
  const world = await toolWorld({ environment: undefined as never });
  expect(textOf(await run(world, 'echo [$HOME] [$PATH]'))).toMatch(/^\[\] \[\/usr\/local\/sbin:/);
});

test('can tell after a crash whether processes of the call live', async () => {
  const world = await toolWorld();
  const stop = new AbortController();
  const running = run(world, 'sleep 30', {}, stop.signal);
  await until(async () => (await alive(world)) === true);
  stop.abort();
  await running;
  expect(await alive(world)).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'sees after a crash that a daemon of the call lives, whatever became of its environment',
  async () => {
    const world = await toolWorld();
    const command = '(env -i setsid sh -c "echo \\$\\$; exec sleep 30 >/dev/null 2>&1" &)';
    const daemon = Number(textOf(await run(world, command)));
    expect(await alive(world)).toBe(true);
    process.kill(daemon);
    await until(async () => (await alive(world)) === false);
  },
);

test('shows a command nothing of how its processes are told', async () => {
  const world = await toolWorld();
  expect(textOf(await run(world, 'env'))).not.toMatch(/BASH_ENV|CALL_MARK/);
});

test('calls the hook right before and right after the start', async () => {
  const seen: unknown[] = [];
  const world = await toolWorld({ onEffect: (...effect) => void seen.push(effect) });
  await run(world, 'true');
  expect(seen).toEqual([
    ['bash', 'before-effect'],
    ['bash', 'after-effect'],
  ]);
});

test('leaves no process behind when the hook after the start throws', async () => {
  const world = await toolWorld({
    onEffect: (_tool, phase) => {
      if (phase === 'after-effect') throw new Error('killed');
    },
  });
  await expect(run(world, 'sleep 30')).rejects.toThrow('killed');
  await until(async () => (await alive(world)) === false);
});

test('says why a command cannot start', async () => {
  const world = await toolWorld();
  expect(await run(world, `true ${'x'.repeat(200_000)}`)).toMatchObject({
    code: 'process_launch_error',
    text: 'spawn E2BIG: the command is too long; write it to a file and run that.',
    certainty: 'not_attempted',
  });
  const other = await toolWorld({ shellPath: '/nowhere/sh' });
  expect(await run(other, 'true')).toMatchObject({
    code: 'not_found',
    text: 'Custom shell path not found: /nowhere/sh',
  });
});

test('uses the shell that it is given', async () => {
  const folder = await temporaryFolder();
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/shell`, '#!/bin/sh\necho "mine: $2"\n');
  await chmod(`${folder}/shell`, 0o755);
  const world = await toolWorld({ shellPath: `${folder}/shell` });
  expect(textOf(await run(world, 'x y'))).toBe('mine: x y\n');
});

test('starts nothing when it is stopped beforehand', async () => {
  const world = await toolWorld();
  const result = await run(world, 'touch f', {}, AbortSignal.abort());
  expect(result).toMatchObject({ kind: 'failed', code: 'cancelled', text: 'Command aborted' });
  expect(await readdir(world.workspace)).toEqual([]);
});

async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  return stat !== null && !/\) [ZX] /.test(stat);
}

function run(
  world: ToolWorld,
  command: string,
  ...rest: readonly [input?: { readonly timeout?: number }, signal?: AbortSignal]
) {
  const [input = {}, signal] = rest;
  return world.call('bash', { command, ...input }, signal === undefined ? {} : { signal });
}

async function alive(world: ToolWorld) {
  const answer = await world.reconcile('bash', { command: 'sleep 30' }, null);
  return Object(answer.kind === 'unknown' ? answer.evidence : null).processes_alive;
}
