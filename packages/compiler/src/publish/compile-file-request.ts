import type { CapabilityConstraints } from '@millforge/contracts';

/** What one compilation of a file is asked for: the request document, and nothing besides. */
export interface CompileFileRequest {
  /** Dotted id that names the request. */
  readonly request_id: string;
  /** Path of the source below `source_root`, at most 1,024 bytes. */
  readonly source_path: string;
  /** Absolute path of an existing directory, at most 4,096 bytes; not itself a symbolic link. */
  readonly source_root: string;
  /** Notation of the source. */
  readonly source_format: 'yaml' | 'json';
  /** Path of an existing directory below `output_root`, at most 1,024 bytes. */
  readonly output_dir: string;
  /** Absolute path of an existing directory, at most 4,096 bytes; not itself a symbolic link. */
  readonly output_root: string;
  /** Dotted id that the harness must have. */
  readonly expected_harness_id?: string;
  /** Dotted id of the stage to compile for. */
  readonly stage_kind_id?: string;
  /** Terminal results that the caller can handle, exactly; 1 to 64. */
  readonly legal_terminal_results?: readonly string[];
  /** What the harness may do. */
  readonly capability_envelope: CapabilityEnvelope;
}

/** The capabilities that a request grants. */
export interface CapabilityEnvelope {
  /** The grants; none is a grant of nothing. */
  readonly grants: readonly CapabilityGrant[];
}

/** One capability that a request grants. */
export interface CapabilityGrant {
  /** Dotted id of the capability. */
  readonly capability_id: string;
  /** How far the grant goes; null or absent for all the way. */
  readonly constraints?: CapabilityConstraints | null;
}
