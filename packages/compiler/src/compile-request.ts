import type { CapabilityGrant } from '@millforge/contracts';
import type { HarnessSource } from './harness-source.ts';

/** What one compilation is asked for; everything absent is taken from the source. */
export interface CompileRequest {
  /** Dotted id that names the request; default `request.in-memory`. */
  readonly requestId?: string;
  /** Notation of the source; default by the ending of `logicalPath`, else by its first character. */
  readonly format?: 'yaml' | 'json';
  /** Name of the source in diagnostics; never opened. Default `in-memory`. */
  readonly logicalPath?: string;
  /** Dotted id that the harness must have. */
  readonly expectedHarnessId?: string;
  /** Dotted id of the stage to compile for; default the first that the harness lists. */
  readonly stageKindId?: string;
  /** Terminal results that the caller can handle, exactly; default those of the harness. */
  readonly legalTerminalResults?: readonly string[];
  /** The capabilities that are granted, by id; as an object where a grant goes only so far. */
  readonly grants: readonly (string | CapabilityGrant)[];
}

/** What a harness is compiled for, with everything that the request left to the source filled in. */
export interface CompileTarget {
  /** The harness. */
  readonly harness: HarnessSource;
  /** Terminal results that the caller can handle. */
  readonly legalTerminalResults: readonly string[];
  /** Capabilities that are granted. */
  readonly grants: readonly CapabilityGrant[];
}
