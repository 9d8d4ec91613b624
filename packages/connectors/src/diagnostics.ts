import { defineDiagnostics } from '@millforge/contracts';
import { approvalWord } from './admission/approval-word.ts';

/** What a document of connectors is called in diagnostics. */
export type DocumentName =
  | 'ConnectorDiscoverySnapshot'
  | 'ConnectorAdmissionManifest'
  | 'ConnectorAdmissionPolicy'
  | 'ConnectorAdmission';

interface InDocument {
  readonly model: DocumentName;
  readonly expected: string;
}

/** Every diagnostic of admission; the phase of a document's own fault is that of the document. */
const tables = (phase: string) =>
  defineDiagnostics('MF-C', {
    documentInvalid: {
      code: 'MF-C002_IDENTITY_INVALID',
      name: 'document-invalid',
      phase,
      message: ({ model, expected }: InDocument) =>
        `The ${model} is wrong here; expected ${expected}.`,
      messageOnly: ['expected'],
    },
    fieldMissing: {
      code: 'MF-C002_IDENTITY_INVALID',
      name: 'document-invalid',
      phase,
      message: ({ model, field }: { model: DocumentName; field: string }) =>
        `The ${model} lacks the required field ${field}.`,
    },
    secretMaterial: {
      code: 'MF-C003_SECRET_MATERIAL',
      name: 'secret-material',
      phase,
      message: ({ model }: { model: DocumentName }) =>
        `The ${model} holds something that looks like a secret; name secrets by reference only.`,
    },
    protocolUnsupported: {
      code: 'MF-C004_PROTOCOL_UNSUPPORTED',
      name: 'protocol-unsupported',
      phase,
      message: ({ protocol }: { protocol: string }) =>
        `The policy does not allow the protocol ${protocol}.`,
    },
    transportUnsupported: {
      code: 'MF-C005_TRANSPORT_UNSUPPORTED',
      name: 'transport-unsupported',
      phase,
      message: ({ transport_kind: kind }: { transport_kind: string }) =>
        `The policy does not allow the transport ${kind}.`,
    },
    connectorIdMismatch: {
      code: 'MF-C006_CONNECTOR_ID_MISMATCH',
      name: 'connector-id-mismatch',
      phase,
      message: (it: { manifest_connector_id: string; snapshot_connector_id: string }) =>
        `The manifest is for ${it.manifest_connector_id}, the discovery of ${it.snapshot_connector_id}.`,
    },
    expectedIdentityMismatch: {
      code: 'MF-C007_EXPECTED_IDENTITY_MISMATCH',
      name: 'expected-identity-mismatch',
      phase,
      message: ({ field }: { field: string }) =>
        `The server that was discovered is not the expected one: ${field} differs.`,
    },
    duplicateProviderTool: {
      code: 'MF-C008_DISCOVERY_DUPLICATE_PROVIDER_TOOL',
      name: 'discovery-duplicate-provider-tool',
      phase,
      message: ({ provider_tool_name: name }: { provider_tool_name: string }) =>
        `The server lists the tool ${name} more than once.`,
    },
    providerToolMissing: {
      code: 'MF-C009_ADMITTED_PROVIDER_TOOL_MISSING',
      name: 'admitted-provider-tool-missing',
      phase,
      message: ({ provider_tool_name: name }: { provider_tool_name: string }) =>
        `The manifest admits ${name}, which the server does not have.`,
    },
    deniedToolInvalid: {
      code: 'MF-C010_DENIED_TOOL_INVALID',
      name: 'denied-tool-invalid',
      phase,
      message: ({
        provider_tool_name: name,
        reason,
      }: {
        provider_tool_name: string;
        reason: string;
      }) => `The denial of ${name} cannot stand: ${reason}.`,
    },
    duplicateAdmittedTool: {
      code: 'MF-C011_DUPLICATE_ADMITTED_TOOL',
      name: 'duplicate-admitted-tool',
      phase,
      message: ({ tool }: { tool: string }) => `The manifest admits two tools as ${tool}.`,
    },
    duplicateModelToolName: {
      code: 'MF-C012_DUPLICATE_MODEL_TOOL_NAME',
      name: 'duplicate-model-tool-name',
      phase,
      message: ({ model_tool_name: name }: { model_tool_name: string }) =>
        `Two admitted tools have the model name ${name}.`,
    },
    duplicateImplementationId: {
      code: 'MF-C013_DUPLICATE_IMPLEMENTATION_ID',
      name: 'duplicate-implementation-id',
      phase,
      message: ({ implementation_id: id }: { implementation_id: string }) =>
        `Two admitted tools have the implementation id ${id}.`,
    },
    inputSchemaUnsupported: {
      code: 'MF-C014_INPUT_SCHEMA_UNSUPPORTED',
      name: 'input-schema-unsupported',
      phase,
      message: ({ schema_error: error }: { schema_error: string }) =>
        `The input schema is outside the accepted subset: ${error}.`,
    },
    outputSchemaUnsupported: {
      code: 'MF-C015_OUTPUT_SCHEMA_UNSUPPORTED',
      name: 'output-schema-unsupported',
      phase,
      message: ({ schema_error: error }: { schema_error: string }) =>
        `The output schema is outside the accepted subset: ${error}.`,
    },
    descriptionRefused: {
      code: 'MF-C016_DESCRIPTION_REQUIRES_OPERATOR_TEXT',
      name: 'description-requires-operator-text',
      phase,
      message: ({ reason }: { reason: string }) => `The description cannot be used: ${reason}.`,
    },
    capabilityMissing: {
      code: 'MF-C017_CAPABILITY_MISSING',
      name: 'connector-capability-missing',
      phase,
      message: () => 'An admitted tool needs at least one capability, also when it only reads.',
    },
    capabilityUnknown: {
      code: 'MF-C018_CAPABILITY_UNKNOWN',
      name: 'capability-unknown',
      phase,
      message: ({ capability_id: id }: { capability_id: string }) =>
        `The policy does not allow the capability ${id}.`,
    },
    approvalPolicyInvalid: {
      code: 'MF-C019_APPROVAL_POLICY_INVALID',
      name: 'approval-policy-invalid',
      phase,
      message: ({
        approval_policy: approval,
        side_effect_class: effect,
      }: {
        approval_policy: string;
        side_effect_class: string;
      }) => `The approval ${approvalWord(approval)} is not allowed for tools of class ${effect}.`,
    },
    forbiddenToolAdmitted: {
      code: 'MF-C020_FORBIDDEN_TOOL_ADMITTED',
      name: 'forbidden-tool-admitted',
      phase,
      message: () => 'A tool whose approval is forbidden cannot be admitted; deny it.',
    },
    hashMismatch: {
      code: 'MF-C021_HASH_MISMATCH',
      name: 'hash-mismatch',
      phase,
      message: ({ hash }: { hash: string; expected: string; actual: string }) =>
        `The digest ${hash} is not the expected one.`,
    },
    descriptorInvalid: {
      code: 'MF-C022_DESCRIPTOR_INVALID',
      name: 'connector-descriptor-invalid',
      phase,
      message: ({ field, reason }: { field: string; reason: string }) =>
        `No tool can be made of this selection: ${field} must be ${reason}.`,
    },
    hashRequired: {
      code: 'MF-C023_HASH_REQUIRED',
      name: 'expected-hash-required',
      phase,
      message: ({ field }: { field: string }) =>
        `Expected digests are required here, and ${field} is not given.`,
    },
    promptOrResourceMissing: {
      code: 'MF-C024_ADMITTED_CONTEXT_MISSING',
      name: 'admitted-context-missing',
      phase,
      message: ({ kind, name }: { kind: string; name: string }) =>
        `The manifest admits the ${kind} ${name}, which the server does not have.`,
    },
  });

/** Constructors of the diagnostics, by the phase that finds them. */
export const found = {
  identity: tables('identity'),
  discovery: tables('discovery'),
  manifest: tables('manifest'),
  policy: tables('policy'),
  admission: tables('admission'),
};
