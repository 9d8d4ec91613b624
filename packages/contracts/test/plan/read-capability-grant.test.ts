import {
  type CapabilityGrant,
  capabilityOf,
  grantDocument,
  type JsonValue,
  readCapabilityGrant,
} from '@millforge/contracts';
import { expect, test } from 'vitest';

test.each<[string, string | CapabilityGrant]>([
  ['an id alone', 'unrestricted.filesystem.read'],
  [
    'every kind of constraint',
    {
      capabilityId: 'workspace.write',
      constraints: {
        paths: ['src/**', '/var/log/*.txt'],
        hosts: ['api.example.org', '*.example.com'],
        commands: ['npm test', 'git log *'],
        max_bytes: 1,
      },
    },
  ],
])('reads back the document of a grant with %s', (_what, grant) => {
  const document = JSON.parse(JSON.stringify(grantDocument(grant)));
  expect(readCapabilityGrant(document)).toEqual({ ok: true, grant });
  expect(capabilityOf(grant)).toMatch(/^[a-z.]+$/);
});

test('a grant without constraints is its id', () => {
  expect(grantDocument({ capabilityId: 'a.b' })).toBe('a.b');
  expect(readCapabilityGrant({ capability_id: 'a.b' })).toEqual({ ok: true, grant: 'a.b' });
});

test.each<[string, JsonValue, string]>([
  ['an id that is none', 'A b', ''],
  ['a number', 7, ''],
  ['a list', ['a.b'], ''],
  ['an unknown field', { capability_id: 'a.b', limit: 1 }, ''],
  ['no id', { constraints: { max_bytes: 1 } }, '/capability_id'],
  ['constraints that are none', { capability_id: 'a.b', constraints: null }, '/constraints'],
  ['no constraint', { capability_id: 'a.b', constraints: {} }, '/constraints'],
  ['an unknown constraint', { capability_id: 'a.b', constraints: { ports: [1] } }, '/constraints'],
  ['no path', { capability_id: 'a.b', constraints: { paths: [] } }, '/constraints/paths'],
  [
    'a path that climbs',
    { capability_id: 'a.b', constraints: { paths: ['a', '../b'] } },
    '/constraints/paths/1',
  ],
  [
    'a host with a port',
    { capability_id: 'a.b', constraints: { hosts: ['a.b:80'] } },
    '/constraints/hosts/0',
  ],
  [
    'a command of all',
    { capability_id: 'a.b', constraints: { commands: ['*'] } },
    '/constraints/commands/0',
  ],
  ['no byte', { capability_id: 'a.b', constraints: { max_bytes: 0 } }, '/constraints/max_bytes'],
  [
    'too many entries',
    { capability_id: 'a.b', constraints: { paths: Array.from({ length: 65 }, () => 'a') } },
    '/constraints/paths',
  ],
])('refuses a grant with %s, and says where', (_what, document, path) => {
  expect(readCapabilityGrant(document)).toMatchObject({ ok: false, path });
});
