import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { type ToolWorld, toolWorld } from '../tool-world.ts';

const WRITE = { path: 'a', content: 'new\n' };
const PATCH = {
  patch: ['a', 'b']
    .map((name) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-old\n+new\n`)
    .join(''),
};

const KILLS = [
  {
    tool: 'write_workspace_file',
    input: WRITE,
    point: 'before-effect 1',
    is: 'not-happened',
    leaves: 'old old',
  },
  {
    tool: 'write_workspace_file',
    input: WRITE,
    point: 'after-effect 1',
    is: 'happened',
    leaves: 'new old',
  },
  {
    tool: 'apply_workspace_patch',
    input: PATCH,
    point: 'after-effect 1',
    is: 'unknown',
    leaves: 'new old',
  },
  {
    tool: 'apply_workspace_patch',
    input: PATCH,
    point: 'after-effect 2',
    is: 'happened',
    leaves: 'new new',
  },
];

test.each(KILLS)(
  'a process that is killed in $tool at $point leaves whole files, and the call is told to be $is',
  async ({ tool, input, point, is, leaves }) => {
    const world = await toolWorld();
    await world.write('a', 'old\n');
    await world.write('b', 'old\n');
    const before = killedIn(world, [tool, ...point.split(' '), JSON.stringify(input)]);
    const after = { before, idempotencyKey: 'key' };
    expect((await world.reconcile(tool, input, after)).kind).toBe(is);
    const found = await Promise.all(['a', 'b'].map((name) => readFile(world.path(name), 'utf8')));
    expect(found.map((text) => text.trim()).join(' ')).toBe(leaves);
    // What the killed process left beside the files is gone.
    expect((await readdir(world.workspace)).toSorted()).toEqual(['a', 'b']);
  },
);

/** The evidence of a call whose process was killed in the middle. */
function killedIn(world: ToolWorld, call: readonly string[]): JsonValue {
  const child = spawnSync(
    process.execPath,
    [
      '--conditions=millforge-src',
      '--import',
      'tsx',
      join(import.meta.dirname, 'interrupted-call.ts'),
      world.workspace,
      ...call,
    ],
    { encoding: 'utf8', timeout: 20_000 },
  );
  expect([child.signal, child.stderr]).toEqual(['SIGKILL', '']);
  return JSON.parse(child.stdout);
}
