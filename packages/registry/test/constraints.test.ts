import type { CapabilityConstraints, ToolReach } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchPathGlob } from '../src/match-path-glob.ts';
import { admit, executorWorld, refuse, toolOf } from './executor-world.ts';

const CAPABILITY = 'site.files';

function worldOf(constraints: CapabilityConstraints, reach?: ToolReach | (() => ToolReach)) {
  const tool = toolOf({
    capabilities: [CAPABILITY],
    ...(reach === undefined ? {} : { reach: typeof reach === 'function' ? reach : () => reach }),
  });
  return executorWorld([tool], {
    plan: { capability_constraints: [{ capability_id: CAPABILITY, constraints }] },
  });
}

const SRC = { paths: ['src/**', '*.md', '/var/log/*.txt'] };

test.each<[string, CapabilityConstraints, ToolReach]>([
  ['a file below a folder', SRC, { paths: ['src/a/b.ts'] }],
  ['the folder itself', SRC, { paths: ['src'] }],
  ['a whole folder', SRC, { paths: ['src/a/'] }],
  ['a file by its absolute path', SRC, { paths: ['/srv/site/src/a.ts'] }],
  ['a file outside by an absolute glob', SRC, { paths: ['/var/log/today.txt'] }],
  ['a way around that stays inside', SRC, { paths: ['docs/../src/./a.ts'] }],
  ['nothing', SRC, { paths: [] }],
  ['a host', { hosts: ['a.test'] }, { hosts: ['A.test'] }],
  ['a host below another', { hosts: ['*.a.test'] }, { hosts: ['x.y.a.test'] }],
  ['a whole command', { commands: ['npm test'] }, { commands: ['npm test'] }],
  ['a command with arguments', { commands: ['git log *'] }, { commands: ['git log -n "2"'] }],
  ['as many bytes', { max_bytes: 5 }, { bytes: 5 }],
])('admits a call that reaches %s (B-37)', (_, constraints, reach) => {
  expect(admit(worldOf(constraints, reach)).kind).toBe('checked');
});

test.each<[string, CapabilityConstraints, ToolReach]>([
  ['another folder', SRC, { paths: ['lib/a.ts'] }],
  ['one path of several outside', SRC, { paths: ['src/a.ts', 'lib/a.ts'] }],
  ['a folder whose name only begins alike', SRC, { paths: ['src2/a.ts'] }],
  ['a file above', SRC, { paths: ['src/../../../etc/passwd'] }],
  ['a file above by a glob for one level', SRC, { paths: ['x/README.md'] }],
  ['all below the workspace', SRC, { paths: ['./'] }],
  ['all below where single files are allowed', { paths: ['src/*'] }, { paths: ['src/'] }],
  ['a neighbour of the workspace', { paths: ['**'] }, { paths: ['/srv/site2/a'] }],
  ['another host', { hosts: ['*.a.test'] }, { hosts: ['a.test'] }],
  ['a host that ends alike', { hosts: ['*.a.test'] }, { hosts: ['xa.test'] }],
  ['a host that a path follows', { hosts: ['*.a.test'] }, { hosts: ['evil.test/.a.test'] }],
  ['a host behind a name', { hosts: ['*.a.test'] }, { hosts: ['evil.test#x.a.test'] }],
  ['no host below another', { hosts: ['*.a.test'] }, { hosts: ['.a.test'] }],
  ['a longer command', { commands: ['npm test'] }, { commands: ['npm test; rm -r /'] }],
  ['a command behind', { commands: ['ls *'] }, { commands: ['ls a && rm b'] }],
  ['a command inside', { commands: ['ls *'] }, { commands: ['ls $(rm b)'] }],
  ['a second line', { commands: ['ls *'] }, { commands: ['ls a\nrm b'] }],
  ['a redirection', { commands: ['ls *'] }, { commands: ['ls > b'] }],
  ['more bytes', { max_bytes: 5 }, { bytes: 6 }],
  ['fewer bytes than none', { max_bytes: 5 }, { bytes: -1 }],
  ['what it does not say', SRC, { hosts: ['a.test'] }],
])('refuses a call that reaches %s (B-37)', (_, constraints, reach) => {
  const [kind = ''] = Object.keys(constraints);
  const { outcome, trace } = refuse(worldOf(constraints, reach));
  expect(outcome).toMatchObject({ status: 'not_executed', error_code: 'capability_denied' });
  expect(outcome.text).toBe(
    `lookup may use the capability site.files only within its constraints: this call is not inside its ${kind}.`,
  );
  expect(trace.error_code).toBe('capability_denied');
});

test.each<[string, (() => ToolReach) | undefined]>([
  ['does not say what its calls reach', undefined],
  [
    'fails to say it',
    () => {
      throw new Error('no');
    },
  ],
  // A tool in plain JavaScript may answer anything.
  ['says something else', () => ({ paths: 'src' }) as unknown as ToolReach],
  ['says a number of bytes that is none', () => ({ bytes: Number.NaN })],
  [
    'says something that cannot be read',
    () => ({
      get paths(): string[] {
        throw new Error('no');
      },
    }),
  ],
])('refuses calls of a tool that %s (B-37)', (_, reach) => {
  expect(refuse(worldOf(SRC, reach)).outcome.text).toContain('does not say what this call');
});

test('a grant with constraints bounds a call as the plan does, and both do together (B-37)', () => {
  const tool = toolOf({ capabilities: [CAPABILITY], reach: () => ({ paths: ['src/a.ts'] }) });
  const world = executorWorld([tool]);
  const within = (constraints: CapabilityConstraints) => ({
    ...world,
    context: { ...world.context, grants: [{ capabilityId: CAPABILITY, constraints }] },
  });
  expect(admit(within({ paths: ['src/**'] })).kind).toBe('checked');
  expect(refuse(within({ paths: ['lib/**'] })).outcome.error_code).toBe('capability_denied');
});

test('a tool says once what a call reaches, whatever it would say later (B-37)', () => {
  let looks = 0;
  const reach = () => ({
    get paths() {
      looks += 1;
      return looks === 1 ? ['lib/a.ts'] : ['src/a.ts'];
    },
  });
  refuse(worldOf(SRC, reach));
  expect(looks).toBe(1);
});

test('a tool whose capability has no constraints need not say what it reaches', () => {
  const tool = toolOf({ capabilities: ['site.other'] });
  const plan = { capability_constraints: [{ capability_id: CAPABILITY, constraints: SRC }] };
  expect(admit(executorWorld([tool], { plan })).kind).toBe('checked');
});

test('a glob matches what the same pattern as a regular expression matches', () => {
  const part = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '?', '**');
  const path = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba'), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), path, (parts, segments) => {
      const source = parts.map((one) =>
        one === '**' ? '(?:/[^/]+)*' : `/${one.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')}`,
      );
      const expected = new RegExp(`^${source.join('')}$`).test(
        segments.map((one) => `/${one}`).join(''),
      );
      expect(matchPathGlob(parts.join('/'), segments.join('/'))).toBe(expected);
    }),
  );
});

test('a glob that is made to be slow is not', () => {
  const glob = `${'a*'.repeat(200)}b`;
  expect(matchPathGlob(glob, 'a'.repeat(4000))).toBe(false);
  expect(matchPathGlob(`${'**/a/'.repeat(100)}b`, 'a/'.repeat(2000))).toBe(false);
});
