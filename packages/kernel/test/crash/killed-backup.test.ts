import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundleChild } from '../bundle-child.ts';
import { contract, open, randomIds, scope, temporaryDirectory } from '../fixture.ts';

let program = '';

beforeAll(async () => {
  program = await bundleChild(join(import.meta.dirname, 'backup-child.ts'));
}, 60_000);

afterAll(() => rmSync(dirname(program), { recursive: true, force: true }));

/** A trail of one goal, and a process that copies it to `copy` and comes to a certain moment of that. */
async function prepared() {
  const root = temporaryDirectory();
  const kernel = await open(join(root, 'data'));
  await kernel.admitGoal(scope, contract('goal-1'));
  const target = join(root, 'copy');
  const copying = (...moment: readonly string[]): ChildProcess => {
    const args = [program, join(root, 'data'), target, ...moment];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const beside = () => readdirSync(root).filter((name) => name !== 'data');
  return { kernel, target, copying, beside };
}

test('takes away what a copy that was killed at any moment left, with the next copy to the same place', {
  tags: ['slow'],
}, async () => {
  const { kernel, target, copying, beside } = await prepared();
  const left: number[] = [];
  for (let moment = 1; ; moment += 2) {
    const [, signal] = await once(copying(String(moment)), 'exit');
    if (signal === null) break;
    // Only what is whole has the name.
    expect(beside()).not.toContain('copy');
    left.push(beside().length);
    await kernel.backup(target);
    expect(beside()).toEqual(['copy']);
    rmSync(target, { recursive: true });
  }
  // A lock alone, then with the folder.
  expect(new Set(left)).toEqual(new Set([1, 2]));
  expect(left.length).toBeGreaterThan(4);
  expect(beside()).toEqual(['copy']);
  const copy = await open(target, { adopt: true });
  expect(await copy.verifyTrail(scope)).toMatchObject({ ok: true, goals: 1 });
});

test('leaves the copy of a living process alone, and files of a like name', async () => {
  const { kernel, target, copying, beside } = await prepared();
  const own = ['copy.unfinished_mine', 'copy.unfinished_notes.lock'];
  mkdirSync(join(dirname(target), own[0] ?? ''));
  writeFileSync(join(dirname(target), own[1] ?? ''), 'My notes.');
  const child = copying('9', 'hang');
  if (child.stdout === null) throw new Error('The child has no output.');
  await once(child.stdout, 'data');
  const going = beside();
  expect(going).toHaveLength(4);
  await kernel.backup(target);
  expect(beside()).toEqual(['copy', ...going]);

  child.kill('SIGKILL');
  await once(child, 'exit');
  rmSync(target, { recursive: true });
  await kernel.backup(target);
  expect(beside()).toEqual(['copy', ...own]);
});

test('takes nothing for a left copy that is no empty file, or beside a folder that holds anything else', async () => {
  const { kernel, target, beside } = await prepared();
  const at = (name: string) => `${target}.unfinished_${name}`;
  writeFileSync(at('a.lock'), '');
  mkdirSync(at('a'));
  writeFileSync(join(at('a'), 'notes.txt'), 'Mine.');
  const empty = join(dirname(target), 'empty');
  writeFileSync(empty, '');
  chmodSync(empty, 0o644);
  symlinkSync(empty, at('b.lock'));
  symlinkSync('copy.unfinished_c.lock', at('c.lock'));
  mkdirSync(at('d.lock'));
  const before = beside();
  await kernel.backup(target);
  expect(beside()).toEqual(['copy', ...before]);
  expect(readFileSync(join(at('a'), 'notes.txt'), 'utf8')).toBe('Mine.');
  expect(statSync(empty).mode & 0o777).toBe(0o644);
});

test('makes no copy in a folder that is there, whoever gave it that name', async () => {
  const { target, beside } = await prepared();
  const ids = {
    newId: (prefix: string) => (prefix === 'unfinished' ? 'taken' : randomIds.newId(prefix)),
  };
  const kernel = await open(join(dirname(target), 'data'), { ids });
  mkdirSync(`${target}.taken`);
  writeFileSync(join(`${target}.taken`, 'notes.txt'), 'Mine.');
  await expect(kernel.backup(target)).rejects.toMatchObject({ code: 'kernel/path-invalid' });
  expect(beside()).toEqual(['copy.taken']);
  expect(readFileSync(join(`${target}.taken`, 'notes.txt'), 'utf8')).toBe('Mine.');
});

test('makes a copy that only its owner can read, and none under the name of a link that leads nowhere', async () => {
  const { kernel, target, beside } = await prepared();
  symlinkSync('nowhere', target);
  await expect(kernel.backup(target)).rejects.toMatchObject({ code: 'kernel/path-invalid' });
  expect(beside()).toEqual(['copy']);
  rmSync(target);
  await kernel.backup(target);
  const modes = [target, join(target, 'trail.db')].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
});
