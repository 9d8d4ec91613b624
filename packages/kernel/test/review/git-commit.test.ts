import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  gitCommit,
  type ReviewRole,
  renderMarkdown,
  renderSarif,
  scriptedRole,
} from '@millforge/kernel/review';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../fixture.ts';
import { commitAll, git, head, repositoryOf, review } from './fixture.ts';

const roles = [scriptedRole('security')];

test('reads the commit, not the work tree', async () => {
  const repository = repositoryOf({ 'a.ts': 'eval(input);\n' });
  writeFileSync(join(repository, 'a.ts'), 'nothing left\n');
  const report = await review({ source: await head(repository), roles });
  expect(report.findings).toMatchObject([{ path: 'a.ts', quote: 'eval(input);' }]);
});

test('is bound to the hash: what a branch names later does not matter', async () => {
  const repository = repositoryOf({ 'a.ts': 'eval(input);\n' });
  const before = git(repository, 'rev-parse', 'HEAD');
  const source = await head(repository);
  commitAll(repository, { 'a.ts': 'nothing left\n' });
  expect(source.identity).toEqual({ kind: 'git_commit', commit: before, since: null });
  expect(await review({ source, roles })).toMatchObject({
    revision: `git:${before}`,
    findings: [{ quote: 'eval(input);' }],
  });
});

test('looks only at what changed since an earlier commit', async () => {
  const repository = repositoryOf({
    'old.ts': 'eval(a);\n',
    'gone.ts': 'eval(b);\n',
    'c.ts': '1\n',
  });
  git(repository, 'rm', '-q', 'gone.ts');
  commitAll(repository, { 'new.ts': 'eval(c);\n', 'c.ts': 'eval(d);\n' });
  const options = { repository, commit: 'HEAD', env: process.env };
  const source = await gitCommit({ ...options, since: 'HEAD~1' });
  const report = await review({ source, roles });
  expect(report.files.map(({ path }) => path)).toEqual(['c.ts', 'new.ts']);
  expect(report.result).toBe('complete');
});

test('tells what did not change since then from what is not there', async () => {
  const repository = repositoryOf({ 'old.ts': '1\n', 'lib/same.ts': '1\n', 'gone.ts': '1\n' });
  git(repository, 'rm', '-q', 'gone.ts');
  commitAll(repository, { 'new.ts': '2\n' });
  const options = { repository, commit: 'HEAD', since: 'HEAD~1', env: process.env };
  const paths = ['old.ts', 'lib', 'lib/sam', 'gone.ts', 'new.ts'];
  const report = await review({ source: await gitCommit(options), paths, roles });
  const type = 'path-not-captured';
  expect(report.gaps).toEqual([
    { type, path: 'gone.ts', reason: 'not-in-revision' },
    { type, path: 'lib', reason: 'not-changed', since: 'HEAD~1' },
    { type, path: 'lib/sam', reason: 'not-in-revision' },
    { type, path: 'old.ts', reason: 'not-changed', since: 'HEAD~1' },
  ]);
  expect(renderMarkdown(report)).toContain(
    '- 2 files are not changed since HEAD\\~1, so nobody looked at them: lib, old.ts.',
  );
});

test('says that nothing changed where nothing did', async () => {
  const repository = repositoryOf({ 'old.ts': '1\n' });
  const options = { repository, commit: 'HEAD', since: 'main', env: process.env };
  const report = await review({ source: await gitCommit(options), roles });
  expect([report.result, report.files]).toEqual(['complete', []]);
  expect(renderMarkdown(report)).toContain('**Complete**: nothing in scope changed');
  const empty = await head(repositoryOf({ '.gitkeep': '' }));
  expect(renderMarkdown(await review({ source: empty, roles }))).toContain('1 file in scope');
});

test('tells a role which lines were added or changed since then', async () => {
  const repository = repositoryOf({
    'a.ts': 'one\ntwo\nthree\nfour\n',
    'same.ts': 'one\n',
    'image.png': new Uint8Array([0, 1]),
  });
  commitAll(repository, {
    'a.ts': 'one\nTWO\nthree\nfour\nfive\n',
    'new.ts': 'first\nsecond\n',
    'empty.ts': '',
    'image.png': new Uint8Array([0, 2]),
  });
  const seen: Record<string, unknown> = {};
  const watching: ReviewRole = {
    role: 'watching',
    origin: 'host',
    version: '1',
    parameters: null,
    async propose({ tree }) {
      for (const { path } of tree.files) seen[path] = tree.changedLines(path);
      return { findings: [], coverage: [], failure: null };
    },
  };
  const options = { repository, commit: 'HEAD', since: 'HEAD~1', env: process.env };
  await review({ source: await gitCommit(options), roles: [watching] });
  expect(seen).toEqual({
    'a.ts': [
      [2, 2],
      [5, 5],
    ],
    'empty.ts': [],
    'image.png': [],
    'new.ts': [[1, 2]],
  });
});

test('names links, other repositories and names that are no text as gaps', async () => {
  const repository = repositoryOf({ 'a.ts': '1\n' });
  symlinkSync('/etc/passwd', join(repository, 'link'));
  git(repository, 'add', 'link');
  const commit = git(repository, 'rev-parse', 'HEAD');
  git(repository, 'update-index', '--add', '--cacheinfo', `160000,${commit},other`);
  git(repository, 'commit', '-q', '-m', 'odd');
  const blob = git(repository, 'rev-parse', 'HEAD:a.ts');
  const tree = execFileSync('git', ['-C', repository, 'ls-tree', '-z', 'HEAD']);
  const odd = Buffer.concat([
    tree,
    Buffer.from(`100644 blob ${blob}\t`),
    Buffer.from([0xff, 0xfe, 0x00]),
  ]);
  const name = execFileSync('git', ['-C', repository, 'mktree', '-z'], { input: odd });
  const oddCommit = git(repository, 'commit-tree', '-m', 'odd', String(name).trim());
  const source = await gitCommit({ repository, commit: oddCommit, env: process.env });
  const report = await review({ source, roles });
  expect(report.files.map(({ path }) => path)).toEqual(['a.ts']);
  expect(report.gaps).toEqual([
    { type: 'path-not-captured', path: 'link', reason: 'link' },
    { type: 'path-not-captured', path: 'other', reason: 'submodule' },
    { type: 'path-not-captured', path: '\ufffd\ufffd', reason: 'name-not-text' },
  ]);
});

/** A tree of git with one file of this content below folders of these names, whatever they are. */
function treeOf(repository: string, names: readonly string[], content: string): string {
  const write = (type: string, input: Buffer): string =>
    execFileSync(
      'git',
      ['-C', repository, 'hash-object', '-w', '--literally', '-t', type, '--stdin'],
      { input, encoding: 'utf8' },
    ).trim();
  const [first, ...above] = names.toReversed();
  let object = write('blob', Buffer.from(content));
  for (const [mode, name] of [['100644', first], ...above.map((one) => ['40000', one])]) {
    const entry = Buffer.from(`${mode} ${name}\0`);
    object = write('tree', Buffer.concat([entry, Buffer.from(object, 'hex')]));
  }
  return object;
}

const leaving = ['../../etc/passwd', '.', '/etc/passwd', 'x//y'];
test.each(leaving)('leaves out a path that leaves its tree: %s', async (path) => {
  const repository = repositoryOf({ 'a.ts': '1\n' });
  const root = treeOf(repository, path.startsWith('..') ? path.split('/') : [path], 'eval(a);\n');
  const options = { repository, env: process.env, since: 'HEAD' };
  const commit = git(repository, 'commit-tree', '-p', 'HEAD', '-m', 'odd', root);
  const report = await review({ source: await gitCommit({ ...options, commit }), roles });
  expect([report.files, report.gaps]).toEqual([
    [],
    [{ type: 'path-not-captured', path, reason: 'path-leaves-tree' }],
  ]);
  // An address of its own would lead whoever reads the log out of the tree.
  expect(JSON.stringify(renderSarif(report))).not.toContain('"uri":');
});

test('executes nothing and fetches nothing that the repository configures', async () => {
  const repository = repositoryOf({ 'a.ts': 'eval(a);\n', 'b.ts': '1\n' });
  commitAll(repository, {
    '.gitattributes': '* filter=evil diff=evil text eol=crlf\n',
    'b.ts': '2\n',
  });
  const canary = join(temporaryDirectory(), 'canary');
  const evil = join(temporaryDirectory(), 'evil.sh');
  writeFileSync(evil, `#!/bin/sh\ntouch ${canary}\n`);
  chmodSync(evil, 0o755);
  for (const [name, value] of [
    ['core.fsmonitor', evil],
    ['core.pager', evil],
    ['core.editor', evil],
    ['core.sshCommand', evil],
    ['core.alternateRefsCommand', evil],
    ['core.gitProxy', evil],
    ['diff.external', evil],
    ['diff.evil.command', evil],
    ['diff.evil.textconv', evil],
    ['filter.evil.smudge', evil],
    ['filter.evil.process', evil],
    ['credential.helper', `!${evil}`],
    ['uploadpack.packObjectsHook', evil],
    ['remote.origin.url', `ext::${evil}`],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialclonefilter', 'blob:none'],
    ['extensions.partialClone', 'origin'],
    ['protocol.ext.allow', 'always'],
    ['pager.ls-tree', 'true'],
  ] as const) {
    git(repository, 'config', name, value);
  }
  for (const hook of ['post-checkout', 'pre-auto-gc', 'fsmonitor-watchman']) {
    writeFileSync(join(repository, '.git/hooks', hook), readFileSync(evil), { mode: 0o755 });
  }
  // The promised object is not here, so that a git that may would go and fetch it.
  const blob = git(repository, 'rev-parse', 'HEAD:b.ts');
  chmodSync(join(repository, '.git/objects', blob.slice(0, 2), blob.slice(2)), 0o644);
  execFileSync('rm', [join(repository, '.git/objects', blob.slice(0, 2), blob.slice(2))]);
  const options = { repository, commit: 'HEAD', env: process.env };
  const report = await review({ source: await gitCommit({ ...options, since: 'HEAD~1' }), roles });
  const whole = await review({ source: await gitCommit(options), roles });

  expect(existsSync(canary)).toBe(false);
  expect(report.gaps).toEqual([
    { type: 'path-not-captured', path: 'b.ts', reason: 'bytes-missing' },
  ]);
  expect(whole.findings).toMatchObject([{ path: 'a.ts', quote: 'eval(a);' }]);
  expect(readdirSync(join(repository, '.git')).filter((name) => name.endsWith('.lock'))).toEqual(
    [],
  );
});

test('does not follow an object that stands in for another one', async () => {
  const repository = repositoryOf({ 'a.ts': 'eval(a);\n' });
  const real = git(repository, 'rev-parse', 'HEAD:a.ts');
  commitAll(repository, { 'b.ts': 'harmless\n' });
  git(repository, 'replace', real, git(repository, 'rev-parse', 'HEAD:b.ts'));
  const report = await review({ source: await head(repository), roles });
  expect(report.findings).toMatchObject([{ path: 'a.ts' }]);
});

test('takes a name that looks like an option for a name', async () => {
  const repository = repositoryOf({ 'a.ts': '1\n' });
  const options = { repository, commit: `--output=${join(repository, 'made')}`, env: process.env };
  await expect(gitCommit(options)).rejects.toMatchObject({ code: 'review/source-unreadable' });
  expect(existsSync(join(repository, 'made'))).toBe(false);
});

test('is not led to another repository by the environment', async () => {
  const repository = repositoryOf({ 'a.ts': '1\n' });
  const other = repositoryOf({ 'other.ts': '1\n' });
  const env = { ...process.env, GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other };
  const report = await review({
    source: await gitCommit({ repository, commit: 'HEAD', env }),
    roles,
  });
  expect(report.files.map(({ path }) => path)).toEqual(['a.ts']);
});

test.each([
  ['no repository', { repository: '/', commit: 'HEAD' }, 'review/source-unreadable'],
  ['no directory', { repository: '/nowhere', commit: 'HEAD' }, 'review/source-unreadable'],
  ['no git', { repository: '/', commit: 'HEAD', git: 'no-git-here' }, 'review/git-missing'],
])('says in one sentence that there is %s', async (_what, options, code) => {
  await expect(gitCommit({ ...options, env: process.env })).rejects.toMatchObject({ code });
});

test('refuses an object whose bytes are not those of its name', async () => {
  const repository = repositoryOf({ 'a.ts': 'one\n', 'b.ts': 'two\n' });
  const [a, b] = ['a.ts', 'b.ts'].map((path) => git(repository, 'rev-parse', `HEAD:${path}`));
  const fileOf = (name = ''): string =>
    join(repository, '.git/objects', name.slice(0, 2), name.slice(2));
  chmodSync(fileOf(a), 0o644);
  writeFileSync(fileOf(a), readFileSync(fileOf(b)));
  await expect(review({ source: await head(repository), roles })).rejects.toThrow(/failed/);
});

test('names the hash that is no commit, and looks at the commit of a tag', async () => {
  const repository = repositoryOf({ 'a.ts': 'eval(a);\n' });
  git(repository, 'tag', '-a', 'v1', '-m', 'v1');
  const options = { repository, env: process.env };
  for (const commit of ['d'.repeat(40), git(repository, 'rev-parse', 'HEAD^{tree}')]) {
    const source = await gitCommit({ ...options, commit });
    await expect(review({ source, roles })).rejects.toThrow(`git finds no commit '${commit}' in`);
  }
  const source = await gitCommit({ ...options, commit: git(repository, 'rev-parse', 'v1') });
  expect(await review({ source, roles })).toMatchObject({ result: 'complete' });
});

test('compares no file with another one whose name git would read for its own', async () => {
  const repository = repositoryOf({ cr: 'eval(a);\n', 'cr\r': 'eval(b);\n' });
  commitAll(repository, { 'cr\r': 'eval(a);\n' });
  const changes: unknown[] = [];
  const role: ReviewRole = {
    role: 'looking',
    origin: 'host',
    version: '1',
    parameters: null,
    async propose({ tree }) {
      changes.push(tree.changedLines('cr\r'));
      return { findings: [], coverage: [], failure: null };
    },
  };
  const source = await gitCommit({ repository, commit: 'HEAD', since: 'HEAD~1', env: process.env });
  await review({ source, roles: [role] });
  expect(changes).toEqual([null]);
});
