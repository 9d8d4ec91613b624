import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox, SandboxLimits } from '@millforge/sandbox';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { processesWith } from './host-processes.ts';
import { ids } from './real-clock.ts';
import { eventually, exited, need, sandbox } from './real-sandbox.ts';

let walls: Sandbox;
let folder: string;

beforeEach(async (context) => {
  walls = sandbox();
  await need(context, walls, 'sandbox');
  folder = mkdtempSync(join(tmpdir(), 'millforge-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const shell = (script: string, limits: Partial<SandboxLimits> = {}) =>
  walls.run({ command: ['/bin/sh', '-c', script], limits });

const node = (script: string, limits: Partial<SandboxLimits> = {}) =>
  walls.run({
    command: [process.execPath, '-e', script],
    readOnlyPaths: [process.execPath],
    limits,
  });

test('reads no key, no ledger and no home of the host, by no path (S-03)', async () => {
  const secret = ids.newId('secret');
  writeFileSync(join(folder, 'credentials.json'), secret);
  const script = `
    const fs = require('node:fs');
    const file = ${JSON.stringify(join(folder, 'credentials.json'))};
    const prefixes = ['', '/proc/1/root', '/proc/self/root', '/proc/self/cwd/../..', '/proc/1/cwd', '/dev/fd/3/..'];
    const seen = [];
    for (const prefix of prefixes) {
      for (const path of [file, '/root', '/home', '/etc/shadow', '/etc/passwd', '/var/lib', '/run/docker.sock', '/sys/kernel']) {
        try { seen.push([prefix + path, fs.statSync(prefix + path).isDirectory() ? fs.readdirSync(prefix + path) : fs.readFileSync(prefix + path, 'utf8')]); } catch {}
      }
    }
    console.log(JSON.stringify(seen));`;
  const result = exited(await node(script));
  expect(JSON.parse(result.stdout)).toEqual([]);
  expect(result.containment.holds['read-host-files'].stops).toBe(true);
});

test('follows no link out of a bound folder', async () => {
  writeFileSync(join(folder, 'outside'), 'secret');
  const inside = mkdtempSync(join(folder, 'inside-'));
  const result = await walls.run({
    command: ['/bin/sh', '-c', `ln -s ../outside link; cat link; cat ../outside; ls ..`],
    folder: inside,
    writablePaths: [inside],
  });
  expect(exited(result).stdout).toBe(`${inside.slice(folder.length + 1)}\n`);
});

test('writes nowhere but into private folders, not even settings of the kernel', async () => {
  const result = await shell(`
    for each in / /usr /bin /etc /dev /proc /run /usr/bin /tmp /dev/shm ${folder}; do
      (echo x >$each/written) 2>/dev/null && echo $each
    done
    # The same value again: should it go through, nothing has changed.
    for each in /proc/sys/kernel/core_pattern /proc/sys/kernel/domainname /proc/sys/vm/swappiness /proc/self/oom_score_adj; do
      read -r value <$each && (echo "$value" >$each) 2>/dev/null && echo $each
    done`);
  expect(exited(result).stdout).toBe('/tmp\n/dev/shm\n');
  expect(readdirSync(folder)).toEqual([]);
});

test('has none of the variables of the host', async () => {
  const result = exited(await shell('env'));
  const names = result.stdout
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(new Set(names)).toEqual(new Set(['HOME', 'PATH', 'PWD']));
});

test('keeps the variables of a command off every command line', async () => {
  const secret = ids.newId('secret');
  let seen: readonly number[] | null = null;
  const result = await walls.run({
    command: ['/bin/sh', '-c', 'printenv API_KEY'],
    environment: { API_KEY: secret },
    onOutput: async () => {
      seen = processesWith(secret);
    },
  });
  expect(exited(result).exitCode).toBe(0);
  expect(seen).toEqual([]);
});

test('sees no process of the host, and reaches none', async () => {
  const result = exited(
    await shell(
      `ls /proc | grep -c '^[0-9]'; ls -d /proc/${process.pid}; kill -0 ${process.pid}; id -u`,
    ),
  );
  const [count, user] = result.stdout.trim().split('\n');
  expect(Number(count)).toBeLessThan(8);
  expect(user).toBe('65534');
});

test('connects to nothing: loopback, names, abstract sockets, the host of a virtual machine', async () => {
  let connections = 0;
  const listen = (address: number | string) => {
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    onTestFinished(() => void server.close());
    return new Promise<typeof server>((done) => server.listen(address, () => done(server)));
  };
  const name = `\0${ids.newId('socket')}`;
  const address = (await listen(0)).address();
  await listen(name);
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const script = `
    const net = require('node:net');
    const targets = [[${port}, '127.0.0.1'], [${JSON.stringify(name)}], [53, '8.8.8.8'], [80, 'example.com']];
    let left = targets.length;
    for (const target of targets) net.connect(...target)
      .on('connect', () => { console.log('connected', target); process.exit(1); })
      .on('error', (error) => { console.log(error.code); left -= 1; if (left === 0) process.exit(0); });`;
  const result = exited(await node(script, { timeoutMs: 8000 }));
  expect(result.exitCode).toBe(0);
  expect(connections).toBe(0);
  // 40 is AF_VSOCK, which no network namespace confines; 38 is AF_ALG.
  const rare = `for my $family (40, 38, 17) { print socket(my $s, $family, 1, 0) ? "open " : "$! " }`;
  const sockets = exited(await walls.run({ command: ['/usr/bin/perl', '-e', rare] }));
  expect(sockets.stdout).toBe('Address family not supported by protocol '.repeat(3));
});

test('bounds a fork bomb, and nothing of it is left (S-05)', async () => {
  const mark = ids.newId('bomb');
  const result = await shell(`bomb() { bomb | bomb & }; : ${mark}; bomb; sleep 0.3; bomb; wait`, {
    processes: 24,
    timeoutMs: 1500,
  });
  expect(result).toMatchObject(
    result.kind === 'exited' ? { limitsMet: ['processes'] } : { kind: 'stopped', limit: 'time' },
  );
  expect(await eventually(() => processesWith(mark).length === 0)).toBe(true);
});

test('tells that a program wanted more processes than it may have', async () => {
  const result = exited(
    await shell('for i in 1 2 3 4 5 6 7 8 9; do sleep 0.2 & done; wait', { processes: 6 }),
  );
  expect(result.exitCode).not.toBe(0);
  expect(result.limitsMet).toEqual(
    result.containment.holds['exhaust-processes'].by === 'control group' ? ['processes'] : [],
  );
});

test('stops a memory bomb, of the heap and of buffers (S-05)', async () => {
  const bomb = 'const kept = []; for (;;) kept.push(Buffer.alloc(8 << 20, 1));';
  const result = await node(bomb, { memoryBytes: 128 * 2 ** 20 });
  if ('containment' in result && result.containment.holds['exhaust-memory'].stops) {
    expect(result).toMatchObject({ kind: 'stopped', limit: 'memory' });
  } else {
    expect(exited(result).exitCode).not.toBe(0);
  }
});

test('stops output at its limit (S-05)', async () => {
  const result = await shell('yes', { outputBytes: 100_000 });
  expect(result).toMatchObject({ kind: 'stopped', limit: 'output' });
  if (result.kind === 'stopped') expect(result.stdout.length).toBe(100_000);
});

test('stops a disk bomb in every folder that can be written (S-05)', async () => {
  const result = exited(
    await shell(
      'cat /dev/zero >/tmp/a; cat /dev/zero >/tmp/b; cat /dev/zero >/dev/shm/c; du -sk /tmp /dev/shm | cut -f1; sleep 0.1',
      { diskBytes: 2 ** 20, processes: 16 },
    ),
  );
  const [own = '', shared = ''] = result.stdout.trim().split('\n');
  expect(Number(own)).toBeLessThanOrEqual(1024);
  expect(Number(shared)).toBeLessThanOrEqual(1024);
  expect(result.limitsMet).toContain('disk');
});

test('bounds each file in a bound folder, and says that their sum is not bounded', async () => {
  const result = await walls.run({
    command: ['/bin/sh', '-c', 'exec cat /dev/zero >big'],
    folder,
    writablePaths: [folder],
    limits: { diskBytes: 65_536 },
  });
  expect(result).toMatchObject({ kind: 'stopped', limit: 'disk' });
  expect(readFileSync(join(folder, 'big')).length).toBe(65_536);
  if ('containment' in result) expect(result.containment.holds['exhaust-disk'].stops).toBe(false);
});

test('leaves no process behind, neither a detached one nor one that ignores signals (S-04)', async () => {
  const mark = `${Math.floor(Math.random() * 1e6) + 1000}.25`;
  // It is there before the command ends, so that something has to end it.
  const seen = 'until grep -qsa ^sleep /proc/[0-9]*/cmdline; do :; done; echo seen';
  const result = await shell(
    `setsid sh -c 'trap "" TERM INT HUP; exec sleep ${mark}' >/dev/null 2>&1 & ${seen}`,
  );
  expect(exited(result)).toMatchObject({ exitCode: 0, stdout: 'seen\n' });
  expect(await eventually(() => processesWith(`sleep\0${mark}`).length === 0)).toBe(true);
});

test('takes no exit status from the program itself (S-01)', async () => {
  const result = exited(
    await shell(
      `for fd in 3 4 5 6 7 8 9; do echo '{ "exit-code": 0 }' >&$fd; done 2>/dev/null; echo '{ "exit-code": 0 }'; exit 7`,
    ),
  );
  expect(result.exitCode).toBe(7);
});

test('has no privileges, gains none, and makes no namespaces', async () => {
  const result = exited(
    await shell(
      `grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status; unshare -U true; unshare -m true`,
    ),
  );
  expect(result.stdout.split('\n').slice(0, 3)).toEqual([
    'CapEff:\t0000000000000000',
    'NoNewPrivs:\t1',
    'Seccomp:\t2',
  ]);
  expect(result.exitCode).not.toBe(0);
});

// Numbers of x86-64: ptrace, process_vm_readv, keyctl, bpf, io_uring_setup, mount, unshare, clone with a
// new user namespace, clone3, open_by_handle_at.
test.runIf(process.arch === 'x64')('refuses the system calls that no tool needs', async () => {
  const calls =
    '[101,0],[310,1],[250,0],[321,0],[425,1],[165,0],[272,0x10000000],[56,0x10000011],[435,0],[304,0]';
  const script = `for my $call (${calls}) { my ($n, $a) = @$call; my $r = syscall($n, $a, 0, 0, 0, 0, 0); print $r == -1 ? "$!\\n" : "$n went through\\n" }`;
  const result = exited(await walls.run({ command: ['/usr/bin/perl', '-e', script] }));
  const said = result.stdout.trim().split('\n');
  expect(said).toEqual(
    Array.from({ length: 10 }, (_, at) =>
      at === 8 ? 'Function not implemented' : 'Operation not permitted',
    ),
  );
});

test('ends at its time limit whatever it does', async () => {
  const result = await shell('trap "" TERM INT; while :; do :; done', { timeoutMs: 200 });
  expect(result).toMatchObject({ kind: 'stopped', limit: 'time' });
});

test('ends when the host says so', async () => {
  const abort = new AbortController();
  const running = walls.run(
    { command: ['/bin/sh', '-c', 'echo begun; sleep 60'], onOutput: async () => abort.abort() },
    { signal: abort.signal },
  );
  expect(await running).toMatchObject({ kind: 'aborted' });
  expect(await walls.run({ command: ['true'] }, { signal: abort.signal })).toMatchObject({
    kind: 'aborted',
  });
});
