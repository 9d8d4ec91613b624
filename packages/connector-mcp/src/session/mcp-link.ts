import type { Discovered } from '@millforge/connectors';
import type { MillforgeError } from '@millforge/contracts';
import type { Transport } from '@modelcontextprotocol/client';

/** A way to a server that was opened: what carries the messages, and which server it is as far as the host knows. */
export interface McpLink {
  /** Carries the messages; started by whoever speaks over it. */
  readonly transport: Transport;
  /** What is known of the server without asking it. */
  readonly identity: Pick<
    Discovered['identity'],
    | 'transport_kind'
    | 'implementation_name'
    | 'implementation_version'
    | 'implementation_digest'
    | 'configured_secret_refs'
  >;
  /** Why it was ended from this side; null where it was not. */
  fault(): MillforgeError | null;
  /** What the link saw of its end, one sentence; empty where it saw nothing. */
  lastWords(): string;
  /** Secrets that the server was given; its words are shown without them. */
  secrets(): readonly string[];
  /** Whether the server ended by itself. */
  hasEnded(): boolean;
  /** Ends it and whatever belongs to it; resolves when nothing of it is left. */
  close(): Promise<void>;
}

/** Opens a way to a server. */
export type OpenLink = (signal: AbortSignal) => Promise<McpLink>;
