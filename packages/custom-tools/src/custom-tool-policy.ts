import type { SideEffectClass } from '@millforge/contracts';
import type { ApprovalRequirement, RuntimeKind } from './custom-tool-manifest.ts';

/** What the operator of this host lets custom tools be, as a document. */
export interface CustomToolPolicy {
  /** Capabilities that tools may require, sorted. */
  readonly allowed_capability_ids: readonly string[];
  /** Where code may come from; default only `contract_only`. */
  readonly allowed_runtime_kinds: readonly RuntimeKind[];
  /** Tools in one manifest, 1 to 128; default 128. */
  readonly max_tools: number;
  /** Bytes of canonical JSON of one schema; default 65,536. */
  readonly max_schema_bytes: number;
  /** UTF-8 bytes of one description, 1 to 65,536; default 65,536. */
  readonly max_description_utf8: number;
  /** Whether every expected digest has to be there. */
  readonly require_expected_hashes: boolean;
  /** Who may have to agree, by what a tool does; a class that is absent admits nothing. */
  readonly side_effect_approval_matrix: ApprovalMatrix;
}

/** Requirements of approval that are admitted for each side effect class. */
export type ApprovalMatrix = {
  readonly [Effect in SideEffectClass]?: readonly ApprovalRequirement[];
};

/** Reading may go without approval, all else may not. */
export const DEFAULT_MATRIX: ApprovalMatrix = {
  read_only: ['none', 'millrace_explicit', 'operator_out_of_band'],
  artifact_write: ['millrace_explicit', 'operator_out_of_band'],
  workspace_write: ['millrace_explicit', 'operator_out_of_band'],
  process_execution: ['millrace_explicit', 'operator_out_of_band'],
  network_read: ['millrace_explicit', 'operator_out_of_band'],
  network_write: ['millrace_explicit', 'operator_out_of_band'],
  terminal: ['millrace_explicit', 'operator_out_of_band'],
};
