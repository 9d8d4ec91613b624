import { deepFreeze, type JsonObject, MillforgeError } from '@millforge/contracts';
import type { BrokeredConnector, ContextLook, EvidenceLook } from './brokered-connector.ts';
import type {
  CallOptions,
  ConnectorInvocationRequest,
  ContextAnswer,
  ProviderAnswer,
  TransportOptions,
} from './connector-transport.ts';
import { type EvidenceStore, openEvidence } from './evidence-store.ts';

/** What a broker is made of. */
export interface ConnectorBrokerOptions {
  /** Its connectors, each under a name of its own. */
  readonly connectors: readonly BrokeredConnector[];
  /** Time that goes on; evidence ages by it. */
  readonly clock: { monotonicMs(): number };
  /** Milliseconds after which a server is asked again although it told of no change; default 60,000. */
  readonly maxEvidenceAgeMs?: number;
}

/** Speaks with the servers of admitted tools; connectors never see each other's tools. */
export interface ConnectorBroker extends AsyncDisposable {
  /** Whether that connector is one of its own. */
  hasConnector(connectorId: string): boolean;
  /** What a server shows of one tool; calls nothing. Asks the server only if what is known may be old. */
  look(connectorId: string, toolName: string, options: TransportOptions): Promise<EvidenceLook>;
  /** Calls a tool, once, if nothing has changed since that look. Never repeats a call. */
  invoke(
    request: ConnectorInvocationRequest,
    options: CallOptions & {
      /** The generation of the look that found no drift. */
      readonly generation: number;
    },
  ): Promise<ProviderAnswer>;
  /** Whether a prompt or a resource is there, at the admitted server; reads nothing. */
  lookAtContext(
    context: {
      /** The connector. */
      readonly connectorId: string;
      /** What it is. */
      readonly kind: 'prompt' | 'resource';
      /** Name of the prompt or URI of the resource. */
      readonly name: string;
    },
    options: TransportOptions,
  ): Promise<ContextLook>;
  /** Reads a prompt that was admitted. */
  readPrompt(
    connectorId: string,
    prompt: { readonly name: string; readonly arguments: JsonObject },
    options: TransportOptions,
  ): Promise<ContextAnswer>;
  /** Reads a resource that was admitted. */
  readResource(connectorId: string, uri: string, options: TransportOptions): Promise<ContextAnswer>;
}

/**
 * Makes a broker. Nothing is connected before it is needed.
 *
 * @throws `connectors/duplicate-connector` for two connectors of one name.
 */
export function createConnectorBroker(options: ConnectorBrokerOptions): ConnectorBroker {
  const { clock, maxEvidenceAgeMs = 60_000 } = options;
  const connectors = new Map<string, Connected>();
  for (const connector of options.connectors) {
    const { connector_id: id } = connector.discovery.connector_identity;
    if (connectors.has(id)) {
      throw new MillforgeError(
        'connectors/duplicate-connector',
        `Two connectors are named ${id}; give each a name of its own.`,
      );
    }
    const evidence = openEvidence(connector, { clock, maxEvidenceAgeMs });
    connectors.set(id, { ...connector, evidence });
  }
  return Object.freeze({
    hasConnector: (id: string) => connectors.has(id),
    async look(connectorId, toolName, live) {
      const connector = connectors.get(connectorId);
      return connector === undefined
        ? { kind: 'missing' }
        : connector.evidence.look(toolName, live);
    },
    async lookAtContext({ connectorId, kind, name }, live) {
      const connector = connectors.get(connectorId);
      return connector === undefined
        ? { kind: 'missing' }
        : connector.evidence.lookAtContext(kind, name, live);
    },
    async invoke(request, { generation, ...live }) {
      const connector = connectors.get(request.connector_id);
      if (connector === undefined) return notSent('There is no such connector.');
      if (connector.evidence.generation() !== generation) {
        return notSent('The server changed after its tool was looked at.');
      }
      return connector.transport.call(deepFreeze({ ...request }), live);
    },
    async readPrompt(connectorId, { name, arguments: input }, live) {
      const connector = connectors.get(connectorId);
      const isAdmitted = connector?.prompts?.includes(name) === true;
      const reading = isAdmitted ? connector.transport.readPrompt?.(name, input, live) : undefined;
      return reading ?? notSent(`The prompt ${name} is not admitted.`);
    },
    async readResource(connectorId, uri, live) {
      const connector = connectors.get(connectorId);
      const isAdmitted = connector?.resources?.includes(uri) === true;
      const reading = isAdmitted ? connector.transport.readResource?.(uri, live) : undefined;
      return reading ?? notSent(`The resource ${uri} is not admitted.`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(
        [...connectors.values()].map(({ transport }) => transport[Symbol.asyncDispose]()),
      );
    },
  } satisfies ConnectorBroker);
}

interface Connected extends BrokeredConnector {
  readonly evidence: EvidenceStore;
}

function notSent(message: string) {
  return { kind: 'failed', reason: 'refused', sent: false, message } as const;
}
