import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findControlGroups } from '../src/bubblewrap/find-control-groups.ts';

/** A tree that looks like the parts of `/proc` and `/sys` that are asked. */
function host(files: Readonly<Record<string, string>>, folders: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'millforge-groups-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

test('finds the hierarchies of the first version by the own place in each', async () => {
  const root = host(
    {
      'proc/self/mountinfo': [
        '30 25 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
        '31 25 0:27 /outer /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
      ].join('\n'),
      'proc/self/cgroup': '4:memory:/service/a\n8:pids:/outer/b\n0::/\n',
    },
    ['sys/fs/cgroup/memory/service/a', 'sys/fs/cgroup/pids/b'],
  );
  expect(await findControlGroups(root)).toEqual({
    version: 1,
    memory: join(root, 'sys/fs/cgroup/memory/service/a'),
    processes: join(root, 'sys/fs/cgroup/pids/b'),
  });
});

const UNIFIED = {
  'proc/self/mountinfo': '30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate',
  'proc/self/cgroup': '0::/user/session\n',
};

test('finds a place beside the own one in the second version, where its controllers are on', async () => {
  const beside = 'sys/fs/cgroup/user';
  const root = host(
    {
      ...UNIFIED,
      [`${beside}/cgroup.subtree_control`]: 'cpu memory pids\n',
      [`${beside}/cgroup.procs`]: '',
    },
    [`${beside}/session`],
  );
  const place = join(root, beside);
  expect(await findControlGroups(root)).toEqual({ version: 2, memory: place, processes: place });
});

test.each([
  [
    'a controller is off',
    {
      ...UNIFIED,
      'sys/fs/cgroup/user/cgroup.subtree_control': 'memory\n',
      'sys/fs/cgroup/user/cgroup.procs': '',
    },
  ],
  [
    'processes cannot be moved',
    { ...UNIFIED, 'sys/fs/cgroup/user/cgroup.subtree_control': 'memory pids\n' },
  ],
  ['there is no hierarchy', { 'proc/self/mountinfo': '', 'proc/self/cgroup': '' }],
  ['nothing can be read', {}],
])('finds nothing where %s', async (_what, files) => {
  expect(await findControlGroups(host(files, []))).toBeNull();
});
