import { toModelProfileCatalog } from '@millforge/compiler';
import { expect, test } from 'vitest';

const document = {
  kind: 'model_profile_catalog',
  schema_version: '1.0',
  profiles: [{ profile_id: 'a.small' }],
};

test.each<[string, Parameters<typeof toModelProfileCatalog>[0]]>([
  ['a document', document],
  ['its text', JSON.stringify(document)],
  ['a list of ids', ['a.small']],
  ['a list of profiles', document.profiles],
])('takes %s', (_, given) => {
  const catalog = toModelProfileCatalog(given);
  expect(catalog.resolveExact('a.small')).toEqual({
    classification: 'found',
    entry: { profile_id: 'a.small' },
  });
  expect(catalog.resolveExact('a')).toEqual({ classification: 'missing' });
});

test.each<[string, Parameters<typeof toModelProfileCatalog>[0], string]>([
  ['an endpoint', [{ profile_id: 'a', url: 'http://localhost' }], '/profiles/0'],
  ['a wrong id', ['A'], '/profiles/0'],
  ['one id twice', ['a', 'b', 'a'], '/profiles/2'],
  ['another kind', { kind: 'profiles' }, '/kind'],
])('refuses %s', (_, given, place) => {
  expect(() => toModelProfileCatalog(given)).toThrow(place);
});
