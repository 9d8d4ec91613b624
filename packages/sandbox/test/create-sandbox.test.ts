import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MillforgeError } from '@millforge/contracts';
import { createSandbox } from '@millforge/sandbox';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { processesWith } from './host-processes.ts';
import { clock, ids } from './real-clock.ts';
import { eventually, exited, need, sandbox } from './real-sandbox.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millforge-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const noBoundary = () => sandbox({ commandTier: { kind: 'process', acceptsNoBoundary: true } });

test('a program reads and changes what is bound, at its place', async (context) => {
  const walls = sandbox();
  await need(context, walls, 'sandbox');
  mkdirSync(join(folder, 'read'));
  mkdirSync(join(folder, 'write'));
  writeFileSync(join(folder, 'read', 'a'), 'in');
  const result = exited(
    await walls.run({
      command: ['/bin/sh', '-c', 'cat ../read/a - >b; echo x >../read/c'],
      folder: join(folder, 'write'),
      input: ' and given',
      readOnlyPaths: [join(folder, 'read')],
      writablePaths: [join(folder, 'write')],
    }),
  );
  expect(result.exitCode).not.toBe(0);
  expect(readFileSync(join(folder, 'write', 'b'), 'utf8')).toBe('in and given');
  expect(existsSync(join(folder, 'read', 'c'))).toBe(false);
});

test('outputs come apart, or as one in their order', async (context) => {
  const walls = sandbox();
  await need(context, walls, 'sandbox');
  const command = ['/bin/sh', '-c', 'echo 1; echo 2 >&2; echo 3'] as const;
  expect(await walls.run({ command })).toMatchObject({ stdout: '1\n3\n', stderr: '2\n' });
  expect(await walls.run({ command, mergesOutput: true })).toMatchObject({
    stdout: '1\n2\n3\n',
    stderr: '',
  });
  const pieces: string[] = [];
  const onOutput = async (chunk: Uint8Array): Promise<void> => {
    pieces.push(Buffer.from(chunk).toString());
  };
  expect(await walls.run({ command, mergesOutput: true, onOutput })).toMatchObject({ stdout: '' });
  expect(pieces.join('')).toBe('1\n2\n3\n');
});

test('a program that is not there exits with 127', async (context) => {
  const walls = sandbox();
  await need(context, walls, 'sandbox');
  expect(exited(await walls.run({ command: ['no-such-program'] })).exitCode).toBe(127);
});

test('what is hidden is never bound, neither by a link nor inside of what is bound', async (context) => {
  const secrets = join(folder, 'secrets');
  mkdirSync(secrets);
  writeFileSync(join(secrets, 'key'), 'secret');
  symlinkSync(secrets, join(folder, 'link'));
  writeFileSync(join(folder, '.netrc'), 'secret');
  const hiddenPaths = [secrets, join(folder, '.netrc'), join(folder, 'absent')];
  const walls = sandbox({ hiddenPaths });
  await need(context, walls, 'sandbox');
  for (const path of [secrets, join(secrets, 'key'), join(folder, 'link')]) {
    expect(await walls.run({ command: ['true'], readOnlyPaths: [path] })).toMatchObject({
      kind: 'refused',
      reason: 'forbidden-path',
    });
  }
  const result = exited(
    await walls.run({
      command: [
        '/bin/sh',
        '-c',
        'ls secrets; cat secrets/key link/key .netrc; for f in secrets/new .netrc; do (echo x >$f); done',
      ],
      folder,
      writablePaths: [folder],
    }),
  );
  expect(result.stdout).toBe('');
  expect(existsSync(join(secrets, 'new'))).toBe(false);
  expect(readFileSync(join(folder, '.netrc'), 'utf8')).toBe('secret');
  // What is not there is neither made nor in the way.
  const reading = { command: ['/bin/sh', '-c', 'cat .netrc; ls -A'], folder } as const;
  const read = exited(await walls.run({ ...reading, readOnlyPaths: [folder] }));
  expect(read.stdout).toBe('.netrc\nlink\nsecrets\n');
  expect(existsSync(join(folder, 'absent'))).toBe(false);
});

test.each(['/', '/tmp', '/proc', '/proc/self', '/dev/shm', '/sys/fs'])(
  'the sandbox keeps %s for itself',
  async (path) => {
    expect(await sandbox().run({ command: ['true'], writablePaths: [path] })).toMatchObject({
      kind: 'refused',
      reason: 'forbidden-path',
    });
  },
);

test.each([
  ['a relative path', { command: ['true'], readOnlyPaths: ['x'] }],
  ['a path that is not there', { command: ['true'], readOnlyPaths: ['/no/such/path'] }],
  ['no program', { command: [''] }],
  ['a NUL character', { command: ['true', 'a\0b'] }],
  ['a relative folder', { command: ['true'], folder: 'x' }],
  ['no name of a variable', { command: ['true'], environment: { 'A=B': '' } }],
] as const)('%s is a mistake of the host program', async (_what, request) => {
  const failure = await sandbox()
    .run({ ...request, command: [...request.command] as [string] })
    .catch((error: unknown) => error);
  expect(MillforgeError.is(failure, 'sandbox/invalid-request')).toBe(true);
});

test('without bubblewrap commands are unavailable, and nothing weaker is taken', async () => {
  const made = sandbox({ commandTier: { kind: 'bubblewrap', program: '/no/bwrap' } });
  expect(await made.run({ command: ['touch', join(folder, 'ran')] })).toMatchObject({
    kind: 'unavailable',
  });
  expect(existsSync(join(folder, 'ran'))).toBe(false);
  expect(await made.report()).toMatchObject([
    { tier: 'quickjs', isAvailable: true },
    { tier: 'bubblewrap', isAvailable: false },
  ]);
});

test('a bubblewrap that makes no namespaces is unavailable', async () => {
  const program = join(folder, 'bwrap');
  writeFileSync(
    program,
    '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
    {
      mode: 0o755,
    },
  );
  const made = sandbox({ commandTier: { kind: 'bubblewrap', program } });
  const result = await made.run({ command: ['true'] });
  expect(result).toMatchObject({ kind: 'unavailable' });
  if (result.kind === 'unavailable') expect(result.message).toContain('No permissions');
});

test('a disposed sandbox is closed', async () => {
  const made = createSandbox({ clock, ids });
  await made[Symbol.asyncDispose]();
  await expect(made.call({ source: '' })).rejects.toMatchObject({ code: 'sandbox/closed' });
});

test('disposing ends what runs, and nothing is left of it', async (context) => {
  const made = sandbox();
  await need(context, made, 'sandbox');
  // In a bare child, whose command line names this process.
  const bare = sandbox({
    warmProcesses: 1,
    commandTier: { kind: 'bubblewrap', program: '/no/bwrap' },
  });
  const mark = `${Math.floor(Math.random() * 1e6) + 1000}.375`;
  const command = made.run({
    command: ['/bin/sh', '-c', `echo; exec sleep ${mark}`],
  });
  const source = 'export default () => { for (;;); }';
  const calls = [bare.call({ source }), bare.call({ source }), bare.call({ source })];
  expect(await eventually(() => processesWith(`sleep\0${mark}`).length > 0)).toBe(true);
  await Promise.all([made[Symbol.asyncDispose](), bare[Symbol.asyncDispose]()]);
  expect(await command).toMatchObject({ kind: 'aborted' });
  const kinds = (await Promise.all(calls)).map(({ kind }) => kind);
  expect(new Set(['aborted', 'unavailable'])).toEqual(
    new Set([...kinds, 'aborted', 'unavailable']),
  );
  expect(processesWith(mark)).toEqual([]);
  expect(processesWith(`--parent=${process.pid}`)).toEqual([]);
});

test('a process of this host is bounded but says that it is no boundary', async () => {
  const result = exited(
    await noBoundary().run({ command: ['/bin/sh', '-c', 'echo $HOME; exit 3'] }),
  );
  expect(result).toMatchObject({
    exitCode: 3,
    containment: { tier: 'process', isBoundary: false },
  });
  expect(existsSync(result.stdout.trim())).toBe(false);
  const late = await noBoundary().run({ command: ['sleep', '60'], limits: { timeoutMs: 100 } });
  expect(late).toMatchObject({
    kind: 'stopped',
    limit: 'time',
    containment: { isBoundary: false },
  });
  const loud = await noBoundary().run({ command: ['yes'], limits: { outputBytes: 1000 } });
  expect(loud).toMatchObject({ kind: 'stopped', limit: 'output' });
  const big = await noBoundary().run({
    command: ['/bin/sh', '-c', 'exec cat /dev/zero >big'],
    limits: { diskBytes: 65_536 },
  });
  expect(big).toMatchObject({ kind: 'stopped', limit: 'disk' });
});

test.each([
  ['ends by itself', 'exit 0', { kind: 'exited', stdout: 'seen\n' }],
  ['is stopped', 'exec sleep 60', { kind: 'stopped', limit: 'time', stdout: 'seen\n' }],
])('what a process of this host began ends with it where it %s', async (_, end, expected) => {
  const mark = `${Math.floor(Math.random() * 1e6) + 1000}.5`;
  const begun = `sleep ${mark} >/dev/null 2>&1 & until grep -qsa ^sleep /proc/$!/cmdline; do :; done`;
  const result = await noBoundary().run({
    command: ['/bin/sh', '-c', `${begun}; echo seen; ${end}`],
    limits: { timeoutMs: 500 },
  });
  expect(result).toMatchObject(expected);
  expect(await eventually(() => processesWith(`sleep\0${mark}`).length === 0)).toBe(true);
});

test('what a process of this host is not kept from stands in its table', async () => {
  const made = noBoundary();
  writeFileSync(join(folder, 'key'), 'secret');
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const mark = `${Math.floor(Math.random() * 1e6) + 1000}.75`;
  const script = `cat ${folder}/key; echo x >${folder}/written; ls -d /proc/${process.pid}; setsid sleep ${mark} >/dev/null 2>&1 &
    "${process.execPath}" -e "require('net').connect(${port}, '127.0.0.1').on('connect', () => process.exit(0))"`;
  const result = exited(await made.run({ command: ['/bin/sh', '-c', script] }));
  expect(result.stdout).toBe(`secret/proc/${process.pid}\n`);
  expect(existsSync(join(folder, 'written'))).toBe(true);
  expect(connections).toBe(1);
  const orphans = processesWith(`sleep\0${mark}`);
  expect(orphans.length).toBe(1);
  for (const pid of orphans) process.kill(pid, 'SIGKILL');
  expect(await eventually(() => processesWith(mark).length === 0)).toBe(true);
  const { holds } = result.containment;
  const reached = [
    'read-host-files',
    'write-host-files',
    'see-host-processes',
    'use-network',
    'leave-orphans',
  ] as const;
  expect(reached.map((topic) => holds[topic].stops)).toEqual(reached.map(() => false));
});
