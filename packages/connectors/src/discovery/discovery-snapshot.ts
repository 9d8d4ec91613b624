import {
  type Diagnostic,
  deepFreeze,
  digest,
  type JsonObject,
  type JsonValue,
} from '@millforge/contracts';
import { found } from '../diagnostics.ts';
import { createFieldReader, readContextNames } from '../documents/field-reader.ts';
import {
  type ConnectorIdentity,
  identityDigest,
  readIdentity,
  readTimestamp,
  SHA256,
} from '../identity/connector-identity.ts';
import {
  type DiscoveredProviderTool,
  providerToolDigests,
  readProviderTool,
} from './provider-tool.ts';

/** What a server said that it has, at one time. It is evidence: nothing can be looked up in it or called. */
export interface ConnectorDiscoverySnapshot {
  /** Version of this document. */
  readonly schema_version: 'millforge.connector.discovery_snapshot';
  /** Type of this document. */
  readonly kind: 'connector_discovery_snapshot';
  /** Revision of this document. */
  readonly version: '1.0';
  /** Which server. */
  readonly connector_identity: ConnectorIdentity;
  /** When, UTC. */
  readonly created_at: string;
  /** Its tools, in its order. */
  readonly provider_tools: readonly DiscoveredProviderTool[];
  /** Names of its prompts, sorted. */
  readonly provider_prompts: readonly string[];
  /** URIs of its resources, sorted. */
  readonly provider_resources: readonly string[];
  /** What else was said; free of secrets. */
  readonly provider_metadata: JsonObject;
  /** Digest of all of it. */
  readonly discovery_snapshot_sha256: string;
}

/** A discovery before its digest was taken. */
export type DiscoveryFacts = Pick<
  ConnectorDiscoverySnapshot,
  | 'connector_identity'
  | 'created_at'
  | 'provider_tools'
  | 'provider_prompts'
  | 'provider_resources'
  | 'provider_metadata'
>;

/** A document that was read, or what is wrong with it. */
export type ReadResult<Document> =
  | {
      /** Whether it is one. */
      readonly ok: true;
      /** The document, frozen. */
      readonly value: Document;
    }
  | {
      /** Whether it is one. */
      readonly ok: false;
      /** Everything that is wrong. */
      readonly diagnostics: readonly Diagnostic[];
    };

/** Digest of a discovery; the order of tools, prompts and resources is not in it. */
function discoveryDigest(facts: DiscoveryFacts): string {
  const { provider_prompts: prompts, provider_resources: resources } = facts;
  return digest({
    kind: 'millforge.connector.discovery_snapshot.v1',
    schema_version: 'millforge.connector.discovery_snapshot',
    snapshot_kind: 'connector_discovery_snapshot',
    version: '1.0',
    connector_identity_sha256: identityDigest(facts.connector_identity),
    created_at: facts.created_at,
    provider_tools: facts.provider_tools
      .map((tool) => ({
        provider_tool_name: tool.provider_tool_name,
        raw_tool_sha256: providerToolDigests(tool).raw_tool_sha256,
      }))
      .toSorted(
        (a, b) =>
          compare(a.provider_tool_name, b.provider_tool_name) ||
          compare(a.raw_tool_sha256, b.raw_tool_sha256),
      ),
    provider_metadata: facts.provider_metadata,
    // A server without them keeps the digest that it had before they were looked for.
    ...(prompts.length === 0 ? {} : { provider_prompts: prompts.toSorted(compare) }),
    ...(resources.length === 0 ? {} : { provider_resources: resources.toSorted(compare) }),
  } satisfies JsonValue);
}

/** Whether a server said the same at two times. */
export function isSameDiscovery(
  before: ConnectorDiscoverySnapshot,
  after: ConnectorDiscoverySnapshot,
): boolean {
  const { created_at, discovery_snapshot_sha256: sha256 } = before;
  return discoveryDigest({ ...after, created_at }) === sha256;
}

/** Makes the document of a discovery; what is wrong with it is told as if it had been read from a file. */
export function createDiscoverySnapshot(
  facts: DiscoveryFacts,
): ReadResult<ConnectorDiscoverySnapshot> {
  return readDiscoverySnapshot({
    schema_version: 'millforge.connector.discovery_snapshot',
    kind: 'connector_discovery_snapshot',
    version: '1.0',
    ...facts,
  });
}

/** Reads a discovery; a digest that it carries must be its own. */
export function readDiscoverySnapshot(value: unknown): ReadResult<ConnectorDiscoverySnapshot> {
  const reader = createFieldReader('ConnectorDiscoverySnapshot', 'discovery');
  const of = reader.fields(value, '', FIELDS);
  const at = (key: string) => ({ of, key });
  const header = {
    schema_version: reader.word(at('schema_version'), ['millforge.connector.discovery_snapshot']),
    kind: reader.word(at('kind'), ['connector_discovery_snapshot']),
    version: reader.word(at('version'), ['1.0']),
  } as const;
  const facts: DiscoveryFacts = {
    connector_identity: readIdentity(
      reader,
      of.values['connector_identity'],
      '/connector_identity',
    ),
    created_at: readTimestamp(reader, at('created_at')),
    provider_tools: reader
      .list(at('provider_tools'))
      .slice(0, MAX_TOOLS + 1)
      .map((tool, index) => readProviderTool(reader, tool, `/provider_tools/${index}`)),
    provider_prompts: readContextNames(reader, at('provider_prompts')),
    provider_resources: readContextNames(reader, at('provider_resources')),
    provider_metadata: reader.isAbsent(at('provider_metadata'))
      ? {}
      : reader.metadata(at('provider_metadata'), 'judged'),
  };
  if (facts.provider_tools.length > MAX_TOOLS) {
    const fields = {
      model: 'ConnectorDiscoverySnapshot',
      expected: `at most ${MAX_TOOLS} tools`,
    } as const;
    reader.add(found.discovery.documentInvalid({ path: '/provider_tools', fields }));
  }
  if (reader.diagnostics.length > 0) return { ok: false, diagnostics: reader.diagnostics };
  const actual = discoveryDigest(facts);
  if (!reader.isAbsent(at('discovery_snapshot_sha256'))) {
    const expected = reader.text(at('discovery_snapshot_sha256'), SHA256);
    if (expected !== actual && reader.diagnostics.length === 0) {
      const fields = { hash: 'discovery_snapshot_sha256', expected, actual };
      reader.add(found.discovery.hashMismatch({ path: '/discovery_snapshot_sha256', fields }));
    }
  }
  if (reader.diagnostics.length > 0) return { ok: false, diagnostics: reader.diagnostics };
  return {
    ok: true,
    value: deepFreeze({ ...header, ...facts, discovery_snapshot_sha256: actual }),
  };
}

/** Orders texts by code unit. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const MAX_TOOLS = 4096;
const FIELDS = [
  'schema_version',
  'kind',
  'version',
  'connector_identity',
  'created_at',
  'provider_tools',
  'provider_prompts',
  'provider_resources',
  'provider_metadata',
  'discovery_snapshot_sha256',
];
