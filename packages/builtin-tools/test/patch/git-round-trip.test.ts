import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  nat,
  record,
  tuple,
} from 'fast-check';
import { expect, test } from 'vitest';
import { formatPatch } from '../../src/patch/format-patch.ts';
import { dataOf, temporaryFolder, toolWorld } from '../tool-world.ts';

/** Contents by path, as bytes, with the mark of a program. */
type Tree = ReadonlyMap<string, { readonly text: string; readonly isExecutable: boolean }>;

// Fifty edits each; MILLFORGE_PATCH_BATCHES=20 makes a thousand.
const BATCHES = Number(process.env['MILLFORGE_PATCH_BATCHES'] ?? 6);
const FILES = 50;
// In memory where there is such a folder: every write of the tools is synced to the disk.
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const SOURCES = realSources();

/** What happens to one file, as numbers that are read against the file. */
const edit = record({
  source: nat(),
  edits: array(record({ at: nat(), removed: nat(4), added: array(nat(), { maxLength: 4 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
  isCrlf: boolean(),
  endsBefore: boolean(),
  endsAfter: boolean(),
  modes: tuple(boolean(), boolean()),
  fate: constantFrom('edit', 'edit', 'edit', 'edit', 'rename', 'create', 'delete'),
  name: constantFrom('plain', 'with blank', 'ünï', 'quo"te', '-dash', 'a', 'b'),
});

test('edits of real files go through git and back to the byte', {
  tags: ['slow'],
  timeout: 20_000 + BATCHES * 3000,
}, async () => {
  await assert(
    asyncProperty(array(edit, { minLength: FILES, maxLength: FILES }), async (edits) => {
      const [before, after] = [new Map(), new Map()];
      edits.forEach((one, index) => {
        place(one, index, { before, after });
      });
      await ourPatchAppliesInGit(before, after);
      await patchOfGitApplies(before, after);
    }),
    { numRuns: BATCHES, seed: 4, endOnFailure: true },
  );
});

async function ourPatchAppliesInGit(before: Tree, after: Tree): Promise<void> {
  const folder = await temporaryFolder(PLACE);
  await writeTree(folder, before);
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  const side = (tree: Tree, path: string) => {
    const file = tree.get(path);
    if (file === undefined) return null;
    return { bytes: Buffer.from(file.text, 'latin1'), mode: file.isExecutable ? 0o755 : 0o644 };
  };
  const patch = formatPatch(
    paths.map((path) => ({ path, before: side(before, path), after: side(after, path) })),
  );
  git(folder, ['init', '--quiet']);
  git(folder, ['apply', '--whitespace=nowarn', '-'], patch);
  await rm(join(folder, '.git'), { recursive: true });
  expect(await readTree(folder)).toEqual(after);
}

async function patchOfGitApplies(before: Tree, after: Tree): Promise<void> {
  const world = await toolWorld({}, PLACE);
  const repository = join(world.folder, 'repository');
  await writeTree(repository, before);
  git(repository, ['init', '--quiet']);
  git(repository, ['add', '--all']);
  git(repository, ['commit', '--quiet', '--message', 'before']);
  for (const path of before.keys()) await rm(join(repository, path));
  await writeTree(repository, after);
  git(repository, ['add', '--all']);
  const patch = git(repository, ['diff', '--cached', '--find-renames', '--find-copies']);
  await writeTree(world.workspace, before);
  // A patch travels as text, so files of other bytes are none of this test's.
  dataOf(await world.call('apply_workspace_patch', { patch: patch.toString() }));
  expect(await readTree(world.workspace)).toEqual(after);
}

function place(
  one: typeof edit extends Arbitrary<infer T> ? T : never,
  index: number,
  trees: { readonly before: Map<string, unknown>; readonly after: Map<string, unknown> },
): void {
  const source = SOURCES[one.source % SOURCES.length] ?? '';
  const lines = source.split('\n').slice(0, -1);
  const changed = one.edits.reduce((text, { at, removed, added }) => {
    const start = at % (text.length + 1);
    // Lines that are there already, so that there is more than one place that they fit.
    const fresh = added.map((from) =>
      from % 3 === 0 ? `added ${from}` : (lines[from % lines.length] ?? ''),
    );
    return text.toSpliced(start, removed, ...fresh);
  }, lines);
  const end = one.isCrlf ? '\r\n' : '\n';
  const textOf = (text: readonly string[], isEnded: boolean) =>
    `${text.join(end)}${isEnded && text.length > 0 ? end : ''}`;
  const path = `d${index % 7}/${one.name} ${index}`;
  const old = { text: textOf(lines, one.endsBefore), isExecutable: one.modes[0] };
  const fresh = { text: textOf(changed, one.endsAfter), isExecutable: one.modes[1] };
  if (one.fate !== 'create') trees.before.set(path, old);
  if (one.fate === 'rename') trees.after.set(`moved/${one.name}/${index}`, fresh);
  else if (one.fate !== 'delete') trees.after.set(path, fresh);
}

/** Source files of this repository, as bytes, with characters of one byte only. */
function realSources(): readonly string[] {
  const root = join(import.meta.dirname, '../../src');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => execFileSync('cat', [join(root, name)]).toString('latin1'));
}

async function writeTree(folder: string, tree: Tree): Promise<void> {
  for (const [path, { text, isExecutable }] of tree) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, 'latin1');
    await chmod(join(folder, path), isExecutable ? 0o755 : 0o644);
  }
}

async function readTree(folder: string): Promise<Tree> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const tree = new Map<string, { text: string; isExecutable: boolean }>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    tree.set(path.slice(folder.length + 1), {
      text: await readFile(path, 'latin1'),
      isExecutable: (mode & 0o100) !== 0,
    });
  }
  return tree;
}

function git(folder: string, args: readonly string[], input?: Buffer): Buffer {
  return execFileSync('git', ['-c', 'core.autocrlf=false', ...args], {
    cwd: folder,
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@localhost',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@localhost',
    },
  });
}
