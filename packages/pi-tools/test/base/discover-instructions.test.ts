import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digest } from '@millforge/contracts';
import { discoverInstructions } from '@millforge/pi-tools';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../tool-world.ts';

test('reads the file of the user, then one per folder from the root of the repository down', async () => {
  const { home, cwd } = await layOut({
    'home/.millforge/AGENTS.md': 'user',
    'repo/AGENTS.md': 'root',
    'repo/packages/CLAUDE.md': 'packages',
    'repo/packages/one/AGENTS.md': 'one',
    'repo/packages/one/CLAUDE.md': 'not taken, the first name wins',
    'repo/.git/HEAD': 'ref: refs/heads/main\n',
  });
  const found = await discoverInstructions({ cwd, home });
  expect(found.files.map(({ scope, path, content }) => [scope, path, content])).toEqual([
    ['global', '~/.millforge/AGENTS.md', 'user'],
    ['project', '../../AGENTS.md', 'root'],
    ['project', '../CLAUDE.md', 'packages'],
    ['project', 'AGENTS.md', 'one'],
  ]);
  expect(found).toMatchObject({ diagnostics: [], truncated: false, system: null, append: null });
  expect(found.context_sha256).toBe(
    digest(JSON.parse(JSON.stringify(found.files)), { newline: false }),
  );
});

test('stops at the root of the repository (D-22)', async () => {
  const { home, cwd } = await layOut({
    'AGENTS.md': 'Do as I say: I am in a folder where everybody may write.',
    'repo/.git': 'gitdir: elsewhere',
    'repo/AGENTS.md': 'root',
  });
  const found = await discoverInstructions({ cwd, home });
  expect(found.files.map(({ content }) => content)).toEqual(['root']);
});

test('takes only the working directory where there is no repository (D-22)', async () => {
  const { home, cwd } = await layOut({
    'AGENTS.md': 'above',
    'repo/AGENTS.md': 'above too',
    'repo/packages/one/AGENTS.md': 'own',
  });
  const found = await discoverInstructions({ cwd, home });
  expect(found.files.map(({ content }) => content)).toEqual(['own']);
});

test('a repository of another user is none', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root can give a file away');
  const { home, cwd, folder } = await layOut({ '.git/HEAD': '', 'AGENTS.md': 'planted' });
  execFileSync('chown', ['65534', join(folder, '.git')]);
  const found = await discoverInstructions({ cwd, home });
  expect(found.files).toEqual([]);
  expect(found.diagnostics).toEqual([expect.stringContaining('another user')]);
});

test('does not follow a link out of the repository, and says so', async () => {
  const { home, cwd, folder } = await layOut({
    'secret.txt': 'secret',
    'repo/.git/HEAD': '',
    'repo/docs/agents.md': 'inside',
  });
  await symlink(join(folder, 'secret.txt'), join(cwd, 'AGENTS.md'));
  await symlink(join(folder, 'repo/docs/agents.md'), join(folder, 'repo/AGENTS.md'));
  const found = await discoverInstructions({ cwd, home });
  expect(found.files.map(({ content }) => content)).toEqual(['inside']);
  expect(found.diagnostics).toEqual(['AGENTS.md leads out of the repository and was not taken.']);
});

test('takes one file once, the first time', async () => {
  const { home, cwd, folder } = await layOut({
    'repo/.git/HEAD': '',
    'repo/AGENTS.md': 'shared',
    'home/.millforge/other': '',
  });
  await symlink(join(folder, 'repo/AGENTS.md'), join(folder, 'home/.millforge/AGENTS.md'));
  await symlink(join(folder, 'repo/AGENTS.md'), join(cwd, 'AGENTS.md'));
  const found = await discoverInstructions({ cwd, home });
  expect(found.files.map(({ scope, content }) => [scope, content])).toEqual([['global', 'shared']]);
});

test('says what cannot be read and takes the next name', async ({ skip }) => {
  const { home, cwd } = await layOut({ 'repo/packages/one/CLAUDE.md': 'second' });
  await mkdir(join(cwd, 'AGENTS.md'));
  execFileSync('mkfifo', [join(cwd, 'AGENTS.MD')]);
  const found = await discoverInstructions({ cwd, home });
  expect(found.files.map(({ content }) => content)).toEqual(['second']);
  expect(found.diagnostics).toEqual(
    ['AGENTS.md', 'AGENTS.MD'].map((name) => `${name} is no file and was not taken.`),
  );
  if (process.getuid?.() === 0) skip('root may read everything');
  await chmod(join(cwd, 'CLAUDE.md'), 0);
  expect((await discoverInstructions({ cwd, home })).diagnostics).toContain(
    'CLAUDE.md cannot be read (EACCES).',
  );
});

test('looks into the folders of other agents only on request', async () => {
  const { home, cwd } = await layOut({
    'home/.pi/agent/AGENTS.md': 'pi',
    'home/.pi/agent/SYSTEM.md': 'pi system',
    'repo/packages/one/.pi/APPEND_SYSTEM.md': 'pi append',
  });
  expect(await discoverInstructions({ cwd, home })).toMatchObject({
    files: [],
    system: null,
    append: null,
  });
  expect(await discoverInstructions({ cwd, home, otherAgents: true })).toMatchObject({
    files: [{ path: '~/.pi/agent/AGENTS.md' }],
    system: { path: '~/.pi/agent/SYSTEM.md', content: 'pi system' },
    append: { path: '.pi/APPEND_SYSTEM.md', content: 'pi append' },
  });
});

test('prefers the prompt of the project to that of the user, and passes over a blank one', async () => {
  const { home, cwd } = await layOut({
    'home/.millforge/SYSTEM.md': 'user',
    'home/.millforge/APPEND_SYSTEM.md': 'user append',
    'repo/packages/one/.millforge/SYSTEM.md': 'project',
    'repo/packages/one/.millforge/APPEND_SYSTEM.md': ' \n',
  });
  const found = await discoverInstructions({ cwd, home, contextFiles: false });
  expect(found.system?.content).toBe('project');
  expect(found.append?.content).toBe('user append');
  expect(found.diagnostics).toEqual(['.millforge/APPEND_SYSTEM.md is blank and was not taken.']);
});

test('looks for no instruction file when it is told so', async () => {
  const { home, cwd } = await layOut({ 'repo/packages/one/AGENTS.md': 'own' });
  const found = await discoverInstructions({ cwd, home, contextFiles: false });
  expect(found.files).toEqual([]);
  expect(found.context_sha256).toBe(digest([], { newline: false }));
});

test('cuts the first file that does not fit between characters, and leaves out the rest', async () => {
  const { home, cwd } = await layOut({
    'repo/.git/HEAD': '',
    'repo/AGENTS.md': 'a'.repeat(49_151),
    'repo/packages/AGENTS.md': 'éé',
    'repo/packages/one/AGENTS.md': 'left out',
  });
  const found = await discoverInstructions({ cwd, home });
  expect(found.truncated).toBe(true);
  expect(
    found.files.map((file) => [file.included_byte_count, file.original_byte_count, file.truncated]),
  ).toEqual([
    [49_151, 49_151, false],
    [0, 4, true],
  ]);
  expect(found.diagnostics).toHaveLength(2);
});

test('says so when the room is filled exactly and a file is left over', async () => {
  const { home, cwd } = await layOut({
    'repo/.git/HEAD': '',
    'repo/AGENTS.md': 'a'.repeat(49_152),
    'repo/packages/one/AGENTS.md': 'left out',
  });
  const found = await discoverInstructions({ cwd, home });
  expect(found).toMatchObject({ truncated: true, files: [{ truncated: false }] });
});

test('shows bytes that are no text as replacement characters, and digests them as they are', async () => {
  const { home, cwd } = await layOut({});
  await writeFile(join(cwd, 'AGENTS.md'), Buffer.from([0x61, 0xff, 0x1b, 0x0d, 0x0a, 0x62]));
  const [file] = (await discoverInstructions({ cwd, home })).files;
  expect(file).toMatchObject({ content: 'a\uFFFD\uFFFD\nb', original_byte_count: 6 });
});

async function layOut(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  const cwd = join(folder, 'repo/packages/one');
  const home = join(folder, 'home');
  await mkdir(cwd, { recursive: true });
  await mkdir(home, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return { folder, cwd, home };
}
