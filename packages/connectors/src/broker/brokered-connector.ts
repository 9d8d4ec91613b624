import type { ConnectorDiscoverySnapshot } from '../discovery/discovery-snapshot.ts';
import type { ConnectorTransport } from './connector-transport.ts';
import type { ProviderToolEvidence } from './provider-evidence.ts';

/** One connector that a broker speaks for. */
export interface BrokeredConnector {
  /** The discovery that its tools were admitted from. */
  readonly discovery: ConnectorDiscoverySnapshot;
  /** The way to its server; the broker disposes of it. */
  readonly transport: ConnectorTransport;
  /** Prompts that may be read; default none. */
  readonly prompts?: readonly string[];
  /** Resources that may be read; default none. */
  readonly resources?: readonly string[];
}

/** Whether a prompt or a resource can be read from the server that was admitted. */
export type ContextLook =
  | {
      /** It is there; `missing` where the server does not list it, or there is no such connector. */
      readonly kind: 'present' | 'missing';
    }
  | {
      /** The server is not the one that was admitted. */
      readonly kind: 'drifted';
    }
  | {
      /** The server could not be asked. */
      readonly kind: 'unreachable';
      /** Why, one sentence. */
      readonly message: string;
    };

/** What is known of a tool right now. */
export type EvidenceLook =
  | {
      /** The server has it. */
      readonly kind: 'present';
      /** What it shows of it. */
      readonly evidence: ProviderToolEvidence;
      /** Changes whenever the server may have changed. */
      readonly generation: number;
    }
  | {
      /** There is no such connector, or its server has no such tool, or several. */
      readonly kind: 'missing';
    }
  | {
      /** The server could not be asked. */
      readonly kind: 'unreachable';
      /** Why, one sentence. */
      readonly message: string;
    };
