import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@millforge/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { type ToolWorld, toolWorld } from './tool-world.ts';

// Enough to meet every kind of moment many times; MILLFORGE_SWAP_CALLS=10000 makes all that were promised.
const CALLS = Number(process.env['MILLFORGE_SWAP_CALLS'] ?? 1000);

const CANARY = 'canary-4711';

const TOOLS: readonly (readonly [string, (turn: number) => JsonObject])[] = [
  ['read_workspace_file', (turn) => ({ path: PATHS[turn % PATHS.length] ?? '' })],
  ['list_workspace_files', (turn) => ({ root: ['.', 'd', 'd/e'][turn % 3] ?? '' })],
  ['search_workspace_text', (turn) => ({ query: 'canary', root: ['.', 'd'][turn % 2] ?? '' })],
  [
    'write_workspace_file',
    (turn) => ({ path: PATHS[turn % PATHS.length] ?? '', content: 'inside' }),
  ],
  [
    'apply_workspace_patch',
    (turn) => {
      const path = ['d/new', 'd/e/deep/new', 'y/new'][turn % 3];
      return { patch: `--- /dev/null\n+++ b/${path}-${turn}\n@@ -0,0 +1 @@\n+inside\n` };
    },
  ],
];

const PATHS = ['x', 'd/f', 'd/e/f', 'y/f'];

test.each(TOOLS)(
  '%s reads, writes and names nothing outside while another process swaps links',
  { tags: ['slow'], timeout: CALLS * 30 + 20_000 },
  async (name, input) => {
    // In memory where there is such a folder: what is written is synced to the disk.
    const world = await toolWorld({}, existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
    const outside = await prepareOutside(world);
    const before = await snapshotOf(outside);
    const swapper = await startSwapper(world);
    const ends = new Map<string, number>();
    const wanted = /^(?:list|search)_/.test(name) ? ['done'] : ['done', 'outside'];
    const isMet = (): boolean => wanted.every((end) => ends.has(end));
    // Longer where the moments happened not to be met.
    for (let turn = 0; turn < CALLS || (!isMet() && turn < 10 * CALLS); turn++) {
      const result = await world.call(name, input(turn));
      const said = JSON.stringify(result);
      expect(said).not.toContain(CANARY);
      expect(said).not.toContain('outside-name');
      expect(said).not.toContain(world.folder);
      const end = result.kind === 'done' ? 'done' : (/^\w+/.exec(result.text)?.[0] ?? '');
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    swapper.kill('SIGKILL');
    // Both kinds of moments were met, or nothing was shown.
    expect(isMet()).toBe(true);
    expect(await snapshotOf(outside)).toEqual(before);
  },
);

async function prepareOutside(world: ToolWorld): Promise<string> {
  const outside = join(world.folder, 'outside');
  await mkdir(join(outside, 'e'), { recursive: true });
  for (const path of ['f', 'e/f', 'outside-name', 'y-f'])
    await writeFile(join(outside, path), CANARY);
  await world.write('x', 'inside canary');
  await world.write('d/f', 'inside canary');
  await world.write('d/e/f', 'inside canary');
  await world.write('y/f', 'inside canary');
  return outside;
}

async function snapshotOf(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name !== 'e').toSorted();
  return Object.fromEntries(
    await Promise.all(
      files.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
    ),
  );
}

/** Exchanges files and folders for links that lead out, and back, as fast as it can. */
async function startSwapper(world: ToolWorld): Promise<ChildProcess> {
  const swapper = spawn(process.execPath, ['-e', SWAPPER, world.workspace, world.folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void swapper.kill('SIGKILL'));
  await new Promise((settle) => swapper.stdout?.once('data', settle));
  return swapper;
}

const SWAPPER = `
  const fs = require('node:fs');
  const [, workspace, folder] = process.argv;
  process.chdir(workspace);
  const spots = [['x', '../outside/f'], ['d', '../outside'], ['d/e', '../../outside/e'], ['y', folder + '/outside']];
  const swap = (name, target) => {
    const kept = '../kept-' + name.replace('/', '-');
    try { fs.renameSync(name, kept); } catch { return; }
    try { fs.symlinkSync(target, name); } catch {}
    for (let n = 0; n < 20; n++) fs.existsSync(name);
    try { fs.unlinkSync(name); } catch {}
    // What a tool has written in between is in the way.
    try { fs.renameSync(kept, name); } catch { try { fs.rmSync(name, { recursive: true }); fs.renameSync(kept, name); } catch {} }
  };
  process.stdout.write('ready');
  // A core of its own would be too much; a pause now and then leaves enough moments to meet.
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    for (const [name, target] of spots) swap(name, target);
    Atomics.wait(clock, 0, 0, 0.3);
  }
`;
