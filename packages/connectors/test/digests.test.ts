import {
  admitConnectorTools,
  createAdmissionSnapshot,
  createDiscoverySnapshot,
  identityDigest,
} from '@millforge/connectors';
import { assert as assertProperty, infiniteStream, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import { baseline } from './baseline.ts';

test('an identity has the digest of the reference', () => {
  expect(
    identityDigest({
      connector_id: 'connector.demo',
      protocol: 'mcp',
      protocol_version: '2025-06-18',
      transport_kind: 'http',
      implementation_name: 'demo',
      implementation_version: '2.1.0',
      implementation_digest: null,
      server_reported_name: null,
      server_reported_version: null,
      configured_secret_refs: ['zeta_ref', 'alpha_ref'],
      discovered_at: '2026-01-01T00:00:00Z',
    }),
  ).toBe('25a11987e9a5e6f5ce43355de56ce1885ac2fc3799495013d41a704dbae6166b');
});

test('no digest of an admission depends on an order', () => {
  const reference = digestsOf(baseline());
  assertProperty(
    property(infiniteStream(nat()), (numbers) => {
      const next = (): number => numbers.next().value ?? 0;
      const documents = shuffled(baseline(), next);
      expect(digestsOf(documents)).toEqual(reference);
    }),
    { numRuns: 100, seed: 8 },
  );
});

test('a word of the server, a hint or a schema makes another digest of the tool', () => {
  const before = digestsOf(baseline()).records[0];
  for (const change of [
    { provider_description: 'Says it back.' },
    { provider_annotations: { readOnlyHint: false } },
    { output_schema: null },
  ]) {
    const documents = baseline();
    Object.assign(documents.snapshot.provider_tools[2], change);
    const facts = documents.snapshot as object as Parameters<typeof createDiscoverySnapshot>[0];
    const { connector_identity, created_at, provider_tools } = facts;
    const read = createDiscoverySnapshot({
      connector_identity,
      created_at,
      provider_tools,
      provider_prompts: [],
      provider_resources: [],
      provider_metadata: {},
    });
    expect(read.ok && read.value.discovery_snapshot_sha256).not.toBe(
      before?.discovery_snapshot_sha256,
    );
  }
});

function digestsOf(documents: ReturnType<typeof baseline>) {
  const { accepted, descriptors, records, diagnostics } = admitConnectorTools(documents);
  expect(diagnostics).toEqual([]);
  expect(accepted).toBe(true);
  const snapshot = createAdmissionSnapshot(records, descriptors);
  const backwards = createAdmissionSnapshot(records.toReversed(), descriptors.toReversed());
  expect(backwards.snapshotSha256).toBe(snapshot.snapshotSha256);
  return { records, sha256: snapshot.snapshotSha256, bindings: snapshot.bindings };
}

/** The same value with the members of its objects, and of the lists whose order means nothing, in another order. */
function shuffled<T>(value: T, next: () => number, key = ''): T {
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item) => shuffled(item, next));
    return (UNORDERED.has(key) ? shuffle(items, next) : items) as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, shuffled(item, next, name)]);
  return Object.fromEntries(shuffle(entries, next)) as T;
}

function shuffle<T>(items: T[], next: () => number): T[] {
  const result = [...items];
  for (let index = result.length - 1; index > 0; index--) {
    const other = next() % (index + 1);
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
}

const UNORDERED = new Set([
  'provider_tools',
  'selected_tools',
  'denied_tools',
  'required_capabilities',
  'allowed_capability_ids',
  'configured_secret_refs',
  'provider_prompts',
]);
