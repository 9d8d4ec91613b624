import type { JsonObject } from '@millforge/contracts';
import type { DiscoveredProviderTool } from '../discovery/provider-tool.ts';
import type { ConnectorIdentity } from '../identity/connector-identity.ts';

/**
 * The way to one server. Whoever writes a connector implements this, and nothing else.
 *
 * It connects when it is first asked to, and again after it was lost. It never throws for what a server
 * does: everything is an answer. It decides nothing: what may be called is the broker's business.
 */
export interface ConnectorTransport extends AsyncDisposable {
  /** Connects if need be, and lists what the server has, all pages of it, within fixed limits. */
  discover(options: TransportOptions): Promise<DiscoverAnswer>;
  /** Calls one tool, once. Says whether anything was sent where it does not know how the call ended. */
  call(request: ConnectorInvocationRequest, options: CallOptions): Promise<ProviderAnswer>;
  /** Reads a prompt; absent where the protocol has none. */
  readPrompt?(name: string, input: JsonObject, options: TransportOptions): Promise<ContextAnswer>;
  /** Reads a resource; absent where the protocol has none. */
  readResource?(uri: string, options: TransportOptions): Promise<ContextAnswer>;
  /** Tells that what was discovered may no longer be so: a list changed, or the connection was lost. */
  onChange(listener: () => void): void;
  /** Ends the connection and whatever was started for it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How work of a transport is stopped. */
export interface TransportOptions {
  /** Stops it; a reason named `TimeoutError` says that its time was over. */
  readonly signal: AbortSignal;
}

/** How a call is made. */
export interface CallOptions extends TransportOptions {
  /** Takes what the server says about its progress; absent where nobody watches. */
  readonly onProgress?: (text: string) => void;
}

/** The one thing that a transport sees of a call: no grants, no paths, no secrets. */
export interface ConnectorInvocationRequest {
  /** The operator's name of the connector. */
  readonly connector_id: string;
  /** Name by which the server calls the tool. */
  readonly provider_tool_name: string;
  /** Dotted id of the tool. */
  readonly tool_id: string;
  /** Its version. */
  readonly tool_version: number;
  /** Digest of the descriptor. */
  readonly descriptor_sha256: string;
  /** Digest of the server's identity. */
  readonly connector_identity_sha256: string;
  /** Digest of the discovery that it was admitted from. */
  readonly discovery_snapshot_sha256: string;
  /** Digest of everything that the server said about the tool. */
  readonly raw_tool_sha256: string;
  /** Arguments, valid against the admitted schema, frozen. */
  readonly arguments: JsonObject;
  /** The run. */
  readonly run_id: string;
  /** Identifies the call in the run. */
  readonly call_id: string;
  /** Seconds that the call may take. */
  readonly timeout_seconds: number;
  /** Key by which the server knows a repeated call; null where the tool takes none. */
  readonly idempotency_key: string | null;
}

/** What was discovered of a server, or why nothing was. */
export type DiscoverAnswer =
  | ({
      /** Tells a discovery from a failure. */
      readonly kind: 'discovered';
    } & Discovered)
  | TransportFailure;

/** Everything that a server says that it has. */
export interface Discovered {
  /** Which server. */
  readonly identity: Omit<ConnectorIdentity, 'connector_id' | 'discovered_at'>;
  /** Its tools, in its order. */
  readonly tools: readonly DiscoveredProviderTool[];
  /** Names of its prompts. */
  readonly prompts: readonly string[];
  /** URIs of its resources. */
  readonly resources: readonly string[];
  /** What else it said, such as its instructions. */
  readonly metadata: JsonObject;
}

/** How a call ended. */
export type ProviderAnswer =
  | {
      /** The server answered. */
      readonly kind: 'answered';
      /** Whether it says that the call failed. */
      readonly isError: boolean;
      /** Its words; may be empty. */
      readonly text: string;
      /** Its structured result; null where it gave none. */
      readonly structured: JsonObject | null;
    }
  | {
      /** The server refused the call without performing it. */
      readonly kind: 'rejected';
      /** Whether it does not know the tool, or does not take the arguments. */
      readonly reason: 'unknown-tool' | 'invalid-arguments';
      /** Its words. */
      readonly message: string;
    }
  | TransportFailure;

/** Why there is no answer. */
export interface TransportFailure {
  /** Tells a failure from an answer. */
  readonly kind: 'failed';
  /** `stopped` by the signal, `lost` connection, `refused` by a limit or a rule, or no sense in what was said. */
  readonly reason: 'stopped' | 'lost' | 'refused' | 'protocol';
  /** Whether anything of the request may have reached the server. */
  readonly sent: boolean;
  /** One sentence without secrets. */
  readonly message: string;
}

/** What a prompt or a resource says. */
export type ContextAnswer =
  | {
      /** The server answered. */
      readonly kind: 'read';
      /** What it says. */
      readonly text: string;
    }
  | TransportFailure;
