import { type ModelReference, parseModelReference } from '@millforge/models';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

const endpoint = (baseUrl: string, model: string): ModelReference => ({
  kind: 'endpoint',
  baseUrl,
  model,
});

test.each<[string, ModelReference]>([
  ['local.small', { kind: 'profile', profileId: 'local.small' }],
  ['scripted:scripts/a b.json', { kind: 'scripted', file: 'scripts/a b.json' }],
  ['http://127.0.0.1:11434/v1#qwen3:8b', endpoint('http://127.0.0.1:11434/v1', 'qwen3:8b')],
  ['https://models.example/v1/#org/m#2', endpoint('https://models.example/v1', 'org/m#2')],
  ['localhost:11434/v1#m', endpoint('http://localhost:11434/v1', 'm')],
  ['models.example/v1#m', endpoint('https://models.example/v1', 'm')],
])('parses %s', (text, reference) => {
  expect(parseModelReference(text)).toEqual(reference);
});

test.each([
  '',
  'scripted:',
  'scripted: ',
  'Not A Profile',
  'http://127.0.0.1:11434/v1',
  'http://127.0.0.1:11434/v1#',
  'http://127.0.0.1:11434/v1#two words',
  'http://192.0.2.7:8080/v1#m',
  'https://user:plover@models.example/v1#m',
  '#m',
])('refuses %j in one sentence', (text) => {
  const reference = parseModelReference(text);
  if (reference.kind !== 'invalid') throw new Error('The reference was accepted.');
  expect(reference.message).toMatch(/^Model reference refused: .+\.$/);
  expect(reference.message).not.toContain('plover');
});

test('accepts plain http to another machine when the caller says so', () => {
  expect(parseModelReference('http://192.0.2.7:80/v1#m', { allowInsecureHttp: true })).toEqual(
    endpoint('http://192.0.2.7/v1', 'm'),
  );
});

test('never throws, and reads an endpoint that it wrote', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl({ withFragments: true })), (text) => {
      const reference = parseModelReference(text);
      if (reference.kind !== 'endpoint') return;
      expect(
        parseModelReference(`${reference.baseUrl}#${reference.model}`, { allowInsecureHttp: true }),
      ).toEqual(reference);
    }),
  );
});
