import type {
  Idempotency,
  JsonObject,
  JsonSchema,
  SideEffectClass,
  ToolOutputPolicy,
  ToolTimeoutPolicy,
} from '@millforge/contracts';
import type { ExpectedConnectorIdentity } from '../identity/connector-identity.ts';
import type { ConnectorApproval } from './approval-word.ts';

/** Where the description that a model reads comes from. */
export type DescriptionPolicy = 'operator_supplied' | 'provider_sanitized' | 'provider_rejected';

/** What an operator lets in of one connector, and how; what is in no list is not admitted. */
export interface ConnectorAdmissionManifest {
  /** Version of this document. */
  readonly schema_version: 'millforge.connector.admission_manifest';
  /** Type of this document. */
  readonly kind: 'connector_admission_manifest';
  /** Revision of this document. */
  readonly version: '1.0';
  /** The operator's name of the connector. */
  readonly connector_id: string;
  /** The server that this was written for. */
  readonly expected_identity: ExpectedConnectorIdentity;
  /** Tools that are let in. */
  readonly selected_tools: readonly ConnectorToolSelection[];
  /** Tools that are kept out, with the reason. */
  readonly denied_tools: readonly DeniedConnectorTool[];
  /** Names of prompts that may be read. */
  readonly admitted_prompts: readonly string[];
  /** URIs of resources that may be read. */
  readonly admitted_resources: readonly string[];
  /** Free notes of the operator, without secrets. */
  readonly policy_metadata: JsonObject;
  /** Digest that the identity must have. */
  readonly expected_connector_identity_sha256: string | null;
  /** Digest that the discovery must have. */
  readonly expected_discovery_snapshot_sha256: string | null;
}

/** One tool that is let in, as the operator sees it. Nothing here is taken from hints of the server. */
export interface ConnectorToolSelection {
  /** Name by which the server calls it. */
  readonly provider_tool_name: string;
  /** Dotted id; begins with `connector.`. */
  readonly tool_id: string;
  /** Version, 1 to 2,147,483,647. */
  readonly tool_version: number;
  /** Names the code that runs it. */
  readonly implementation_id: string;
  /** Name shown to the model. */
  readonly model_tool_name: string;
  /** What the model reads about it. */
  readonly description: string;
  /** Where the description comes from. */
  readonly description_policy: DescriptionPolicy;
  /** Whose input schema is admitted. */
  readonly input_schema_policy: 'provider_exact' | 'operator_overlay';
  /** Whose output schema is admitted. */
  readonly output_schema_policy: 'provider_exact' | 'operator_supplied';
  /** The operator's input schema; null where the server's is admitted as it is. */
  readonly input_schema: JsonSchema | null;
  /** The operator's output schema; null where the server's is admitted as it is. */
  readonly output_schema: JsonSchema | null;
  /** Capabilities that a caller must hold, sorted. */
  readonly required_capabilities: readonly string[];
  /** Artifacts that a call may produce, sorted. */
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
  readonly approval_policy: ConnectorApproval;
  /** Digest that the server's tool must have. */
  readonly expected_raw_tool_sha256: string | null;
  /** Digest that the admitted descriptor must have. */
  readonly expected_descriptor_sha256: string | null;
  /** Digest that the record of the admission must have. */
  readonly expected_admission_record_sha256: string | null;
}

/** One tool that is kept out. */
export interface DeniedConnectorTool {
  /** Name by which the server calls it. */
  readonly provider_tool_name: string;
  /** Why. */
  readonly reason: string;
  /** Always forbidden. */
  readonly approval_policy: ConnectorApproval;
  /** What was seen when it was reviewed, without secrets. */
  readonly review_evidence: JsonObject;
}
