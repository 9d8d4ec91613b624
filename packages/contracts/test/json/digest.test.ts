import { digest, type ExactJson, JsonFloat, sha256 } from '@millforge/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 as nodeSha256 } from '../../src/json/sha256-node.ts';
import { sha256 as portableSha256 } from '../../src/json/sha256-portable.ts';

test('gives the digest of the format vector', () => {
  const value = {
    b: 1,
    a: [
      new JsonFloat(1),
      new JsonFloat(0.00001),
      new JsonFloat(-0),
      new JsonFloat(1e16),
      'caf\u00e9 \u{1f642} \u2028 \u007f / \\ " \n\t\u0001',
      null,
      true,
      [],
      {},
    ],
    '\u{1f600}': 2,
    '\uffff': 3,
    A: -5,
  };
  expect(digest(value)).toBe('dafaa58e5d1a4a2f68e81968a174016e0b8211d86a0d94c51f69e245377e651d');
});

test('gives the digest of a known descriptor, registry and connector identity', () => {
  const descriptor = {
    schema_version: 1,
    kind: 'millforge.tool_descriptor.v1',
    tool_id: 'sample.text.count_words',
    tool_version: 3,
    implementation_id: 'impl.sample.text.count_words.v3',
    model_tool_name: 'count_words',
    description: 'Count words \u2013 na\u00efve.',
    input_schema: {
      type: 'object',
      additionalProperties: false,
      properties: { mode: { type: 'string', enum: ['strict', 'loose'] }, text: { type: 'string' } },
      required: ['text'],
    },
    output_schema: {
      type: 'object',
      additionalProperties: false,
      properties: { count: { type: 'integer' } },
      required: ['count'],
    },
    required_capabilities: ['text.read'],
    produced_artifact_ids: [],
    side_effect_class: 'read_only',
    idempotency: 'idempotent',
    timeout_policy: { timeout_seconds: 20, cancellation_grace_seconds: 2 },
    output_policy: { max_output_bytes: 2048, max_summary_utf8: 256, redact_secrets: false },
  };
  expect(digest(descriptor)).toBe(
    '2cc739c620e02d4535efaa770b9ca83901b57a4820cbaabb53f49cd492a9531b',
  );
});

test('does not depend on the order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(digest(reversed(value as ExactJson))).toBe(digest(value as ExactJson));
    }),
  );
});

test('covers the trailing line feed unless told otherwise', () => {
  expect(digest([])).toBe(sha256('[]\n'));
  expect(digest([], { newline: false })).toBe(sha256('[]'));
});

test('hashes texts as UTF-8', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('é')).toBe(sha256(new TextEncoder().encode('é')));
});

test('is the same in Node and elsewhere, for bytes and for texts', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(portableSha256(bytes)).toBe(nodeSha256(bytes));
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(portableSha256(text)).toBe(nodeSha256(text));
    }),
  );
  expect(portableSha256('\ud800x')).toBe(nodeSha256('\ud800x'));
});

function reversed(value: ExactJson): ExactJson {
  if (typeof value !== 'object' || value === null || value instanceof JsonFloat) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const copy: { [key: string]: ExactJson } = Object.create(null);
  for (const [key, item] of Object.entries(value).toReversed()) copy[key] = reversed(item);
  return copy;
}
