import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, symlink, truncate } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { faultOf, type ToolWorld, toolWorld } from './tool-world.ts';

interface Answer {
  readonly ms: number;
  readonly rss: number;
  readonly start: number;
  readonly kind: string;
  readonly text: string;
}

/** Makes two calls in a process of their own: the time of each, memory at its highest, what it answered. */
async function measure(
  world: ToolWorld,
  ...calls: readonly [Call, Call]
): Promise<readonly [Answer, Answer]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--conditions=millforge-src',
      '--import',
      'tsx',
      `${import.meta.dirname}/calls-alone.ts`,
      world.workspace,
      ...calls.map((call) => JSON.stringify(call)),
    ],
    { timeout: 30_000, maxBuffer: 64 * 1024 * 1024 },
  );
  return JSON.parse(stdout);
}

/** Name of the tool and its arguments. */
type Call = readonly [string, object];

/** What the process takes before the call is that of the test, which compiles on the fly. */
const MEGABYTES = 100 * 1024 * 1024;

test('a file of 2 GB is read by its beginning', { tags: ['slow'] }, async () => {
  const world = await toolWorld();
  await world.write('huge.txt', `beginning\n${'text\n'.repeat(100)}`);
  await truncate(world.path('huge.txt'), 2 * 1024 ** 3);
  const [read, search] = await measure(
    world,
    ['read_workspace_file', { path: 'huge.txt', max_bytes: 10 }],
    ['search_workspace_text', { query: 'beginning' }],
  );
  expect(read).toMatchObject({
    kind: 'done',
    text: 'beginning\n[truncated]\n[continue with start_line 2]',
  });
  expect(search.text).toContain('1 binary, large or unreadable files not searched');
  for (const { ms, rss, start } of [read, search]) {
    expect(rss - start).toBeLessThan(MEGABYTES);
    expect(ms).toBeLessThan(2000);
  }
});

test('a folder of 100,000 entries is listed by its first ones', { tags: ['slow'] }, async () => {
  // In memory where there is such a folder: a disk can take half a minute to make the files.
  const world = await toolWorld({}, existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  await mkdir(world.path('many'));
  execFileSync('sh', ['-c', 'seq -f f%06.0f 0 99999 | xargs touch'], { cwd: world.path('many') });
  const [list, none] = await measure(
    world,
    ['list_workspace_files', { root: 'many', max_results: 2 }],
    ['list_workspace_files', { root: '.', glob: '*.none' }],
  );
  expect(list.text).toBe('many/f000000\nmany/f000001\n[truncated after 2 files]');
  expect(none.text).toBe('no files');
  for (const { ms, rss, start } of [list, none]) {
    expect(rss - start).toBeLessThan(MEGABYTES);
    expect(ms).toBeLessThan(2000);
  }
});

test('pipes, sockets and devices are no files, and are not opened', async () => {
  const world = await toolWorld();
  execFileSync('mkfifo', [world.path('pipe')]);
  const server = createServer().listen(world.path('socket'));
  await new Promise((settle) => server.once('listening', settle));
  onTestFinished(() => void server.close());
  const names = ['pipe', 'socket', ...makeDevice(world)];
  for (const path of names) {
    for (const [tool, input] of [
      ['read_workspace_file', { path }],
      ['list_workspace_files', { root: path }],
    ] as const) {
      const fault = faultOf(await world.call(tool, input));
      expect(fault).toMatch(/^(policy_denied not_a_file|not_found not_a_folder)$/);
    }
  }
  // A pipe that is opened for reading would wait for a writer, and searching would never end.
  await world.write('text', 'needle');
  const found = await world.call('search_workspace_text', { query: 'needle' });
  expect(found.text).toBe('text:1: needle');
});

test('a link to nothing is not found', async () => {
  const world = await toolWorld();
  await symlink('nothing', world.path('dangling'));
  expect(faultOf(await world.call('read_workspace_file', { path: 'dangling' }))).toBe(
    'not_found not_found',
  );
});

test('a file that grows while it is read gives the bytes up to its size at the opening', async () => {
  const { createPathPolicy } = await import('@millforge/builtin-tools/path-policy');
  const world = await toolWorld();
  await world.write('log', 'x'.repeat(100_000));
  const policy = createPathPolicy();
  await using workspace = await policy.openWorkspace(world.workspace);
  await using file = await workspace.openFile(policy.checkRead('log'));
  const growing = await open(world.path('log'), 'a');
  await growing.writeFile('y'.repeat(100_000));
  await growing.close();
  expect(file.stats.size).toBe(100_000);
  const found = await world.call('search_workspace_text', { query: 'y' });
  expect(found.text).toContain('log:1:');
});

/** Only root may make one. */
function makeDevice(world: ToolWorld): readonly string[] {
  try {
    execFileSync('mknod', [world.path('device'), 'c', '1', '5'], { stdio: 'ignore' });
    return ['device'];
  } catch {
    return [];
  }
}
