import { providerToolDigests } from '../discovery/provider-tool.ts';
import { identityDigest } from '../identity/connector-identity.ts';
import type { BrokeredConnector, ContextLook, EvidenceLook } from './brokered-connector.ts';
import type { Discovered, TransportFailure, TransportOptions } from './connector-transport.ts';
import type { ProviderToolEvidence } from './provider-evidence.ts';

/** What is known of the tools of one live server. */
export interface EvidenceStore {
  /** What the server shows of one tool. */
  look(toolName: string, options: TransportOptions): Promise<EvidenceLook>;
  /** Whether the admitted server has a prompt or a resource. */
  lookAtContext(
    kind: 'prompt' | 'resource',
    name: string,
    options: TransportOptions,
  ): Promise<ContextLook>;
  /** Changes whenever the server may have changed. */
  generation(): number;
}

/** Keeps what a server showed until it tells of a change, is lost, or the time is over. */
export function openEvidence(
  { discovery, transport }: BrokeredConnector,
  { clock, maxEvidenceAgeMs }: { clock: { monotonicMs(): number }; maxEvidenceAgeMs: number },
): EvidenceStore {
  let generation = 0;
  let known: Known | null = null;
  let asking: Promise<Known | TransportFailure> | null = null;
  transport.onChange(() => {
    generation += 1;
    known = null;
  });

  const ask = async (options: TransportOptions): Promise<Known | TransportFailure> => {
    for (let left = MAX_RESTARTS; left > 0; left--) {
      const from = generation;
      const answer = await transport.discover(options);
      if (answer.kind === 'failed') return answer;
      // A change that came in the meantime may be in the listing or not.
      if (from !== generation) continue;
      generation += 1;
      known = {
        kind: 'known',
        ...evidenceOf(answer, discovery),
        at: clock.monotonicMs(),
        generation,
      };
      return known;
    }
    const message = 'The server changes its tools faster than they can be read.';
    return { kind: 'failed', reason: 'refused', sent: false, message };
  };

  const knownNow = async (options: TransportOptions): Promise<Known | TransportFailure> => {
    const fresh = known !== null && clock.monotonicMs() - known.at <= maxEvidenceAgeMs;
    let answer: Known | TransportFailure | null = fresh ? known : null;
    while (answer === null) {
      const isOwn = asking === null;
      asking ??= ask(options).finally(() => {
        asking = null;
      });
      answer = await asking;
      // Whoever asked first was stopped; that is no answer for the others who waited.
      const isStopped = answer.kind === 'failed' && answer.reason === 'stopped';
      if (isStopped && !isOwn && !options.signal.aborted) answer = null;
    }
    return answer;
  };

  return {
    generation: () => generation,
    async lookAtContext(kind, name, options) {
      const answer = await knownNow(options);
      if (answer.kind === 'failed') return { kind: 'unreachable', message: answer.message };
      if (answer.identitySha256 !== identityDigest(discovery.connector_identity)) {
        return { kind: 'drifted' };
      }
      const names = kind === 'prompt' ? answer.prompts : answer.resources;
      return { kind: names.includes(name) ? 'present' : 'missing' };
    },
    async look(toolName, options) {
      const answer = await knownNow(options);
      if (answer.kind === 'failed') return { kind: 'unreachable', message: answer.message };
      const evidence = answer.tools.get(toolName) ?? null;
      return evidence === null
        ? { kind: 'missing' }
        : { kind: 'present', evidence, generation: answer.generation };
    },
  };
}

interface Known {
  readonly kind: 'known';
  /** Null for a name that the server gives to several. */
  readonly tools: ReadonlyMap<string, ProviderToolEvidence | null>;
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly identitySha256: string;
  readonly at: number;
  readonly generation: number;
}

function evidenceOf(
  { identity, tools, prompts, resources }: Discovered,
  discovery: BrokeredConnector['discovery'],
): Pick<Known, 'tools' | 'prompts' | 'resources' | 'identitySha256'> {
  const { connector_id: connectorId, discovered_at } = discovery.connector_identity;
  const shared = {
    connector_id: connectorId,
    connector_identity_sha256: identityDigest({
      connector_id: connectorId,
      discovered_at,
      ...identity,
    }),
    // Of what a tool was admitted from; tools that come and go beside it are no drift of this one.
    discovery_snapshot_sha256: discovery.discovery_snapshot_sha256,
  };
  const byName = new Map<string, ProviderToolEvidence | null>();
  for (const tool of tools) {
    const { provider_tool_name: name } = tool;
    byName.set(
      name,
      byName.has(name)
        ? null
        : Object.freeze({ ...shared, provider_tool_name: name, ...providerToolDigests(tool) }),
    );
  }
  return { tools: byName, prompts, resources, identitySha256: shared.connector_identity_sha256 };
}

const MAX_RESTARTS = 3;
