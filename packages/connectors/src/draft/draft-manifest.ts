import { deepFreeze, isDottedId, type JsonSchema } from '@millforge/contracts';
import type {
  ConnectorAdmissionManifest,
  ConnectorToolSelection,
  DeniedConnectorTool,
} from '../admission/admission-manifest.ts';
import { PLACEHOLDER_DESCRIPTION } from '../admission/placeholder-description.ts';
import type { ConnectorDiscoverySnapshot } from '../discovery/discovery-snapshot.ts';
import { type DiscoveredProviderTool, providerToolDigests } from '../discovery/provider-tool.ts';
import { identityDigest } from '../identity/connector-identity.ts';
import { connectorWord, wordOf } from './connector-word.ts';
import { findRisks, type KnownTools, type ToolRisk } from './find-risks.ts';
import { type ProposedSchema, proposeSchema } from './propose-schema.ts';

/** A manifest that admits nothing yet, with all that is needed to change that. */
export interface ManifestDraft {
  /** The manifest, everything denied; no manifest until something is selected. */
  readonly manifest: ConnectorAdmissionManifest;
  /** For each tool, the selection to move into the manifest, with the strictest of everything. */
  readonly proposals: readonly ToolProposal[];
}

/** What it would take to admit one tool. */
export interface ToolProposal {
  /** The tool. */
  readonly provider_tool_name: string;
  /** Digest of everything that the server said about it. */
  readonly raw_tool_sha256: string;
  /** The selection; null where no schema can be proposed. */
  readonly selection: ConnectorToolSelection | null;
  /** What should have been read first. */
  readonly risks: readonly ToolRisk[];
  /** What the proposed input schema says differently. */
  readonly input: Pick<ProposedSchema, 'isExact' | 'changes' | 'fault'>;
  /** What the proposed output schema says differently. */
  readonly output: Pick<ProposedSchema, 'isExact' | 'changes' | 'fault'>;
}

/** Drafts a manifest from a discovery: everything denied, every risk marked. */
export function draftManifest(
  snapshot: ConnectorDiscoverySnapshot,
  known: KnownTools,
): ManifestDraft {
  const { connector_identity: identity } = snapshot;
  const proposals = snapshot.provider_tools
    .toSorted((a, b) => (a.provider_tool_name < b.provider_tool_name ? -1 : 1))
    .map((tool) => proposeTool(tool, snapshot, known));
  const { protocol, protocol_version, transport_kind } = identity;
  const { implementation_name, implementation_version, implementation_digest } = identity;
  return deepFreeze({
    manifest: {
      schema_version: 'millforge.connector.admission_manifest',
      kind: 'connector_admission_manifest',
      version: '1.0',
      connector_id: identity.connector_id,
      expected_identity: {
        protocol,
        protocol_version,
        transport_kind,
        implementation_name,
        implementation_version,
        implementation_digest,
      },
      selected_tools: [],
      denied_tools: proposals.map(toDenied),
      admitted_prompts: [],
      admitted_resources: [],
      policy_metadata: {},
      expected_connector_identity_sha256: identityDigest(identity),
      expected_discovery_snapshot_sha256: snapshot.discovery_snapshot_sha256,
    },
    proposals,
  });
}

function toDenied({ provider_tool_name: name, risks }: ToolProposal): DeniedConnectorTool {
  return {
    provider_tool_name: name,
    reason: 'not reviewed',
    approval_policy: 'forbidden',
    review_evidence: risks.length === 0 ? {} : { risks: risks.map(({ kind }) => kind) },
  };
}

function proposeTool(
  tool: DiscoveredProviderTool,
  snapshot: ConnectorDiscoverySnapshot,
  known: KnownTools,
): ToolProposal {
  const input = proposeSchema(tool.input_schema);
  const output: ProposedSchema =
    tool.output_schema === null
      ? { schema: TEXT_OUTPUT, isExact: false, changes: [], fault: null }
      : proposeSchema(tool.output_schema);
  const { changes: inputChanges, isExact, fault } = input;
  return {
    provider_tool_name: tool.provider_tool_name,
    raw_tool_sha256: providerToolDigests(tool).raw_tool_sha256,
    selection: input.schema === null ? null : select(tool, snapshot, { input, output }),
    risks: findRisks(tool, { snapshot, known, input }),
    input: { isExact, changes: inputChanges, fault },
    output: { isExact: output.isExact, changes: output.changes, fault: output.fault },
  };
}

function select(
  tool: DiscoveredProviderTool,
  { connector_identity: { connector_id: connectorId } }: ConnectorDiscoverySnapshot,
  { input, output }: { readonly input: ProposedSchema; readonly output: ProposedSchema },
): ConnectorToolSelection {
  const word = wordOf(tool.provider_tool_name);
  const owner = connectorWord(connectorId);
  const id = `connector.${owner}.${word}`;
  return {
    provider_tool_name: tool.provider_tool_name,
    tool_id: isDottedId(id) ? id : `connector.${owner}.tool`,
    tool_version: 1,
    implementation_id: `impl.connector.${owner}.${word}.v1`,
    model_tool_name: `${owner}_${word}`.slice(0, 64),
    description: PLACEHOLDER_DESCRIPTION,
    description_policy: 'operator_supplied',
    input_schema_policy: input.isExact ? 'provider_exact' : 'operator_overlay',
    output_schema_policy: output.isExact ? 'provider_exact' : 'operator_supplied',
    input_schema: input.isExact ? null : input.schema,
    output_schema: output.isExact ? null : (output.schema ?? TEXT_OUTPUT),
    required_capabilities: [`connector.${owner}.call`],
    produced_artifact_ids: [],
    // Nobody has said yet that it is less.
    side_effect_class: 'network_write',
    idempotency: 'unknown',
    timeout_policy: { timeout_seconds: 60, cancellation_grace_seconds: 5 },
    output_policy: { max_output_bytes: 131_072, max_summary_utf8: 65_536, redact_secrets: true },
    approval_policy: 'millrace_explicit',
    expected_raw_tool_sha256: providerToolDigests(tool).raw_tool_sha256,
    expected_descriptor_sha256: null,
    expected_admission_record_sha256: null,
  };
}

/** What a tool without a structured result gives: the text that it says. */
const TEXT_OUTPUT: JsonSchema = deepFreeze({
  type: 'object',
  additionalProperties: false,
  properties: { text: { type: 'string' } },
  required: ['text'],
});
