import type {
  Idempotency,
  SideEffectClass,
  ToolOutputPolicy,
  ToolTimeoutPolicy,
} from '@millforge/contracts';
import type {
  ApprovalRequirement,
  CommandImplementation,
  JavaScriptImplementation,
  RuntimeKind,
} from './custom-tool-manifest.ts';

/** What was compiled for one tool, and from what; a document that proves itself by its digest. */
export interface CustomToolRecord {
  /** Type of this document. */
  readonly kind: 'millforge.custom_tool.compilation_record.v1';
  /** The package. */
  readonly package_id: string;
  /** Its version. */
  readonly package_version: number;
  /** Digest of the manifest's meaning. */
  readonly source_sha256: string;
  /** Id of the tool. */
  readonly tool_id: string;
  /** Its version. */
  readonly tool_version: number;
  /** Names the code that runs it. */
  readonly implementation_id: string;
  /** Where its code comes from. */
  readonly runtime_kind: RuntimeKind;
  /** Name shown to the model. */
  readonly model_tool_name: string;
  /** Digest of the declaration. */
  readonly declaration_sha256: string;
  /** Digest of the normal form of the input schema. */
  readonly input_schema_sha256: string;
  /** Digest of the normal form of the output schema. */
  readonly output_schema_sha256: string;
  /** Digest of the descriptor. */
  readonly descriptor_sha256: string;
  /** Digest of the implementation record; absent for tools whose code is not in the manifest. */
  readonly implementation_sha256?: string;
  /** Capabilities that a caller must hold. */
  readonly required_capabilities: readonly string[];
  /** Artifacts that a call may produce. */
  readonly produced_artifact_ids: readonly string[];
  /** The strongest thing a call may do. */
  readonly side_effect_class: SideEffectClass;
  /** Whether a call may be repeated. */
  readonly idempotency: Idempotency;
  /** Time limits of one call. */
  readonly timeout_policy: ToolTimeoutPolicy;
  /** Size limits of one result. */
  readonly output_policy: ToolOutputPolicy;
  /** Who has to agree to a call. */
  readonly approval_policy: ApprovalRequirement;
  /** Digest of all the other fields. */
  readonly compilation_record_sha256: string;
}

/** The code of one tool: kept apart from the contract, so that neither changes the digest of the other's form. */
export interface ImplementationRecord {
  /** Type of this document. */
  readonly kind: 'millforge.custom_tool.implementation.v1';
  /** The name by which descriptor and registry know the code. */
  readonly implementation_id: string;
  /** How it is run. */
  readonly runtime_kind: 'sandboxed_js' | 'sandboxed_command';
  /** Digest of the source text, or of the command line as canonical JSON. */
  readonly content_sha256: string;
  /** The code and how it is called. */
  readonly code: JavaScriptImplementation | CommandImplementation;
  /** Functions of the host that the code may call: none. */
  readonly granted_host_functions: readonly never[];
  /** Digest of all the other fields. */
  readonly implementation_sha256: string;
}
