import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { measureReach, podmanRunner, type Sandbox, type SandboxLimits } from '@millforge/sandbox';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { processesWith } from './host-processes.ts';
import { clock, ids } from './real-clock.ts';
import { eventually, exited, need, sandbox } from './real-sandbox.ts';

const IMAGE = 'millforge-test:1';
const PROGRAMS = ['sh', 'cat', 'sleep', 'ls', 'id', 'env', 'yes', 'setsid', 'touch', 'grep'];
let store: string;
let globalOptions: readonly string[] = [];
let containers: Sandbox;
let folder: string;

// An image of the host's own shell, since none is fetched.
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), 'millforge-podman-'));
  if (!existsSync('/usr/bin/podman') || !existsSync('/usr/sbin/runc')) return;
  const stored = ['--root', join(store, 'root'), '--runroot', join(store, 'run')];
  globalOptions = [
    ...stored,
    '--runtime=/usr/sbin/runc',
    '--cgroup-manager=cgroupfs',
    '--storage-driver=vfs',
  ];
  const root = join(store, 'image');
  for (const program of PROGRAMS) addProgram(root, program);
  for (const empty of ['tmp', 'proc', 'dev', 'etc']) mkdirSync(join(root, empty));
  // The private folder takes the mode that it has in the image.
  chmodSync(join(root, 'tmp'), 0o1777);
  execFileSync('tar', ['-cf', join(store, 'image.tar'), '-C', root, '.']);
  try {
    execFileSync('podman', [...globalOptions, 'import', join(store, 'image.tar'), IMAGE], {
      stdio: 'ignore',
    });
  } catch {
    // Then there is no image, and each test says so.
  }
});
afterAll(() => {
  rmSync(store, { recursive: true, force: true });
});

beforeEach(async (context) => {
  const runner = podmanRunner({
    image: IMAGE,
    globalOptions,
    // runc refuses to raise what this host does not allow.
    runOptions: ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'],
  });
  containers = sandbox({ commandTier: { kind: 'container', runner } });
  await need(context, containers, 'podman');
  folder = mkdtempSync(join(tmpdir(), 'millforge-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const shell = (script: string, limits: Partial<SandboxLimits> = {}) =>
  containers.run({ command: ['/bin/sh', '-c', script], limits });

test('a container sees nothing of the host but what is bound', { tags: ['slow'] }, async () => {
  writeFileSync(join(folder, 'a'), 'content');
  chmodSync(folder, 0o755);
  const result = exited(
    await containers.run({
      command: [
        '/bin/sh',
        '-c',
        `cat a; echo new >b; id -u; echo "$KEY"; ls /root /home /etc; touch /x; exit 4`,
      ],
      folder,
      readOnlyPaths: [folder],
      environment: { KEY: 'value' },
    }),
  );
  expect(result.exitCode).toBe(4);
  expect(result.stdout.startsWith('content65534\nvalue\n')).toBe(true);
  expect(existsSync(join(folder, 'b'))).toBe(false);
  expect(result.containment).toMatchObject({ tier: 'container', isBoundary: true });
});

test('a container is bounded in time, output, memory, processes and disk', {
  tags: ['slow'],
}, async () => {
  expect(await shell('while :; do :; done', { timeoutMs: 1500 })).toMatchObject({
    kind: 'stopped',
    limit: 'time',
  });
  expect(await shell('yes', { outputBytes: 10_000 })).toMatchObject({
    kind: 'stopped',
    limit: 'output',
  });
  const memory = await shell('x=0123456789; while :; do x=$x$x; done', {
    memoryBytes: 32 * 2 ** 20,
  });
  // This engine does not always tell why its container was killed.
  expect(memory).toMatchObject(
    memory.kind === 'exited' ? { exitCode: 137 } : { kind: 'stopped', limit: 'memory' },
  );
  // Engines mark where they were started that memory ran out.
  expect(existsSync('oom')).toBe(false);
  const forks = exited(
    await shell('for i in 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6; do sleep 1 & done', { processes: 8 }),
  );
  expect(forks.exitCode).not.toBe(0);
  const disk = exited(
    await shell('cat /dev/zero >/tmp/a; cat /dev/zero >/tmp/b; ls -s /tmp', { diskBytes: 65_536 }),
  );
  expect(disk.stderr).toMatch(/File size limit|No space left|File too large/u);
});

test('nothing of a container is left behind', { tags: ['slow'] }, async () => {
  const mark = `${Math.floor(Math.random() * 1e6) + 1000}.125`;
  const seen = 'until grep -qsa ^sleep /proc/[0-9]*/cmdline; do :; done; echo seen';
  const result = await shell(`setsid sleep ${mark} >/dev/null 2>&1 & ${seen}`);
  expect(result).toMatchObject({ kind: 'exited', exitCode: 0, stdout: 'seen\n' });
  expect(await eventually(() => processesWith(`sleep\0${mark}`).length === 0)).toBe(true);
  const abort = new AbortController();
  const running = containers.run(
    { command: ['/bin/sh', '-c', `echo; sleep ${mark}`], onOutput: async () => abort.abort() },
    { signal: abort.signal },
  );
  expect(await running).toMatchObject({ kind: 'aborted' });
  expect(await eventually(() => processesWith(`sleep\0${mark}`).length === 0)).toBe(true);
  const left = execFileSync('podman', [...globalOptions, 'ps', '--all', '--quiet']);
  expect(left.toString()).toBe('');
});

test('what is measured from inside is what its table says', { tags: ['slow'] }, async () => {
  const { report } = await measureReach(containers, { of: 'commands', clock, ids });
  expect(report).toMatchObject({
    tier: 'container',
    reached: { host_file_read: false, host_file_written: false, host_process: false },
    user_id: 65534,
    interfaces: ['lo'],
    contradictions: [],
  });
  // No program of the image could try, which is no pass.
  expect(report.reached.host_loopback).toBeNull();
});

test('an image that is not there makes the tier unavailable', { tags: ['slow'] }, async () => {
  const runner = podmanRunner({
    image: 'localhost/none:1',
    globalOptions,
    runOptions: ['--pull=never'],
  });
  const made = sandbox({ commandTier: { kind: 'container', runner } });
  expect(await made.run({ command: ['true'] })).toMatchObject({ kind: 'unavailable' });
});

function addProgram(root: string, program: string): void {
  const source = execFileSync('/bin/sh', ['-c', `command -v ${program}`])
    .toString()
    .trim();
  const libraries = execFileSync('ldd', [source]).toString().match(/\/\S+/gu) ?? [];
  place(join(root, 'bin', program), source);
  for (const library of libraries) place(join(root, library), library);
}

function place(target: string, source: string): void {
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target)) copyFileSync(source, target);
}
