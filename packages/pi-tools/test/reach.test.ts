import type { ToolReach } from '@millforge/contracts';
import { piTools } from '@millforge/pi-tools';
import { expect, test } from 'vitest';

const CONTEXT = { runId: 'r', callId: 'c', workspace: '/srv/site' };

function reachOf(name: string, input: Parameters<typeof call>[1]): ToolReach | undefined {
  return call(name, input);
}

function call(name: string, input: { readonly [key: string]: string | object }) {
  const tool = piTools({ homeDirectory: '/home/me' }).find(
    ({ descriptor }) => descriptor.model_tool_name === name,
  );
  return tool?.implementation.reach?.(JSON.parse(JSON.stringify(input)), CONTEXT);
}

test.each<[string, Parameters<typeof call>[1], ToolReach]>([
  ['write', { path: 'a.txt', content: 'é' }, { paths: ['/srv/site/a.txt'], bytes: 2 }],
  [
    'edit',
    { path: '../x', edits: [{ oldText: 'a', newText: 'abc' }] },
    { paths: ['/srv/x'], bytes: 3 },
  ],
  ['find', { pattern: '*' }, { paths: ['/srv/site/'] }],
  ['grep', { pattern: 'x', path: 'src' }, { paths: ['/srv/site/src/'] }],
  ['ls', { path: '/etc' }, { paths: ['/etc'] }],
])('%s says which paths a call reaches (B-37)', (name, input, { paths = [], ...rest }) => {
  const reach = reachOf(name, input);
  expect(new Set(reach?.paths)).toEqual(new Set(paths));
  expect(reach).toMatchObject(rest);
});

test('every reading of a path that is forgiven something counts (B-37)', () => {
  expect(new Set(reachOf('read', { path: '~/x' })?.paths)).toEqual(
    new Set(['/srv/site/~/x', '/home/me/x']),
  );
});

test('bash says its command as it is written (B-37)', () => {
  expect(reachOf('bash', { command: ' ls -l' })).toEqual({ commands: [' ls -l'] });
});
