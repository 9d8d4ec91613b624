import { type DiagnosticOrder, defineDiagnostics } from '@millforge/contracts';

/** The order of phases in reports, and the rank of codes inside them. */
export const DIAGNOSTIC_ORDER: DiagnosticOrder = {
  phases: [
    'request',
    'parse',
    'schema',
    'resolution',
    'graph',
    'capability',
    'artifact',
    'lowering',
    'output',
    'internal',
  ],
  precedence: {
    request: {
      codes: {
        'MF-S018': 0,
        'MF-S001': 1,
        'MF-S002': 2,
        'MF-S016': 3,
        'MF-S017': 4,
        'MF-S013': 5,
        'MF-S014': 6,
        'MF-S015': 7,
      },
      others: 8,
    },
    internal: { codes: { 'MF-I001': 0, 'MF-D001': 1 }, others: 2 },
  },
};

/** Every diagnostic of the compiler: one constructor per row, and the only place where messages are built. */
export const report = defineDiagnostics('MF-', {
  requestInvalid: {
    code: 'MF-S018',
    name: 'compile-request-invalid',
    phase: 'request',
    message: () => 'Compile request schema validation failed.',
  },
  sourceOutside: {
    code: 'MF-S001',
    name: 'source-path-outside-root',
    phase: 'request',
    message: () => 'Source path must stay within source_root.',
  },
  outputOutside: {
    code: 'MF-S002',
    name: 'output-path-outside-root',
    phase: 'request',
    message: () => 'Output directory must stay within output_root.',
  },
  sourceFileTooLarge: {
    code: 'MF-S003',
    name: 'source-too-large',
    phase: 'parse',
    message: () => 'Source file exceeds the maximum size.',
  },
  valueTooLarge: {
    code: 'MF-S003',
    name: 'source-too-large',
    phase: 'parse',
    message: () => 'Source document exceeds the maximum size.',
  },
  valueLimit: {
    code: 'MF-S010',
    name: 'source-limit',
    phase: 'parse',
    messageOnly: ['message'],
    message: ({ message }: { message: string }) => message,
  },
  valueMalformed: {
    code: 'MF-S011',
    name: 'malformed-source',
    phase: 'parse',
    messageOnly: ['message'],
    message: ({ message }: { message: string }) => message,
  },
  sourceRootMissing: {
    code: 'MF-S013',
    name: 'source-unreadable',
    phase: 'request',
    message: () => 'source_root must be an existing directory.',
  },
  sourceRootNotDirectory: {
    code: 'MF-S013',
    name: 'source-unreadable',
    phase: 'request',
    message: () => 'source_root must be a directory.',
  },
  sourceMissing: {
    code: 'MF-S013',
    name: 'source-unreadable',
    phase: 'request',
    message: () => 'Source file does not exist.',
  },
  sourceUnreadable: {
    code: 'MF-S013',
    name: 'source-unreadable',
    phase: 'request',
    message: () => 'Source file could not be read.',
  },
  sourceNotFile: {
    code: 'MF-S014',
    name: 'source-not-a-file',
    phase: 'request',
    message: () => 'Source path must be a regular file.',
  },
  sourceChanged: {
    code: 'MF-S015',
    name: 'source-changed',
    phase: 'request',
    message: () => 'Source file changed during admission.',
  },
  outputRootMissing: {
    code: 'MF-S016',
    name: 'output-root-invalid',
    phase: 'request',
    message: () => 'output_root must be an existing directory.',
  },
  outputRootNotDirectory: {
    code: 'MF-S016',
    name: 'output-root-invalid',
    phase: 'request',
    message: () => 'output_root must be a directory.',
  },
  outputMissing: {
    code: 'MF-S017',
    name: 'output-directory-invalid',
    phase: 'request',
    message: () => 'Output directory must already exist.',
  },
  outputNotAdmitted: {
    code: 'MF-S017',
    name: 'output-directory-invalid',
    phase: 'request',
    message: () => 'Output directory could not be admitted.',
  },
  outputNotDirectory: {
    code: 'MF-S017',
    name: 'output-directory-invalid',
    phase: 'request',
    message: () => 'Output directory must be a directory.',
  },

  schemaInvalid: {
    code: 'MF-S020',
    name: 'source-schema-invalid',
    phase: 'schema',
    message: () => 'Source schema validation failed.',
  },
  unknownField: {
    code: 'MF-S021',
    name: 'unknown-field',
    phase: 'schema',
    message: () => 'Source schema contains an unknown field.',
  },
  identifierInvalid: {
    code: 'MF-S022',
    name: 'identifier-invalid',
    phase: 'schema',
    message: () => 'Source identifier is invalid.',
  },
  toolReferenceInexact: {
    code: 'MF-S023',
    name: 'tool-reference-inexact',
    phase: 'schema',
    message: () => 'Source tool_ref must be an exact-version tool reference.',
  },
  budgetInvalid: {
    code: 'MF-S024',
    name: 'budget-invalid',
    phase: 'schema',
    message: () => 'Source budget value is invalid.',
  },
  contextPolicyInvalid: {
    code: 'MF-S025',
    name: 'context-policy-invalid',
    phase: 'schema',
    message: () => 'Source context policy value is invalid.',
  },
  secretCandidate: {
    code: 'MF-S026',
    name: 'secret-candidate',
    phase: 'schema',
    message: () => 'Source scalar resembles a secret and must be removed.',
  },
  harnessIdUnexpected: {
    code: 'MF-S027',
    name: 'harness-id-unexpected',
    phase: 'schema',
    message: () => 'Source harness_id does not match expected_harness_id.',
  },
  stageOutOfScope: {
    code: 'MF-S028',
    name: 'stage-out-of-scope',
    phase: 'schema',
    message: () => 'Requested stage_kind_id is outside source stage_scope.',
  },
  terminalParity: {
    code: 'MF-S029',
    name: 'terminal-parity',
    phase: 'schema',
    message: () => 'Legal terminal results must match source terminal declarations.',
  },

  unknownModelProfile: {
    code: 'MF-R001',
    name: 'unknown-model-profile',
    phase: 'resolution',
    message: profileUnresolved,
  },
  unknownToolReference: {
    code: 'MF-R002',
    name: 'unknown-tool-reference',
    phase: 'resolution',
    message: bindingUnresolved,
  },
  entryIdentityMismatch: {
    code: 'MF-R003',
    name: 'catalog-entry-identity-mismatch',
    phase: 'resolution',
    message: () => 'Tool binding lookup returned a mismatched entry.',
  },
  malformedEntry: {
    code: 'MF-R004',
    name: 'malformed-catalog-entry',
    phase: 'resolution',
    message: bindingUnresolved,
  },
  entryMissing: {
    code: 'MF-R004',
    name: 'malformed-catalog-entry',
    phase: 'resolution',
    message: () => 'Tool binding lookup returned no entry payload.',
  },
  duplicateToolBinding: {
    code: 'MF-R005',
    name: 'duplicate-tool-binding',
    phase: 'resolution',
    message: ({ tool_ref }: { tool_ref: string }) =>
      `Exact tool binding '${tool_ref}' is used by multiple nodes.`,
  },
  duplicateModelToolName: {
    code: 'MF-R006',
    name: 'duplicate-model-tool-name',
    phase: 'resolution',
    message: ({ model_tool_name }: { model_tool_name: string }) =>
      `Model tool name '${model_tool_name}' is used by multiple resolved nodes.`,
  },
  unsupportedToolSchema: {
    code: 'MF-R007',
    name: 'unsupported-tool-schema',
    phase: 'resolution',
    message: bindingUnresolved,
  },
  snapshotDrift: {
    code: 'MF-R008',
    name: 'catalog-snapshot-drift',
    phase: 'resolution',
    message: bindingUnresolved,
  },
  catalogMetadataInvalid: {
    code: 'MF-R009',
    name: 'catalog-internal-failure',
    phase: 'resolution',
    message: () => 'Catalog snapshot metadata is invalid.',
  },
  profileLookupFailed: {
    code: 'MF-R009',
    name: 'catalog-internal-failure',
    phase: 'resolution',
    message: () => 'Model profile catalog lookup failed.',
  },
  toolLookupFailed: {
    code: 'MF-R009',
    name: 'catalog-internal-failure',
    phase: 'resolution',
    message: () => 'Tool catalog lookup failed.',
  },
  malformedProfile: {
    code: 'MF-R010',
    name: 'malformed-model-profile',
    phase: 'resolution',
    message: profileUnresolved,
  },
  profileMissing: {
    code: 'MF-R010',
    name: 'malformed-model-profile',
    phase: 'resolution',
    message: () => 'Model profile lookup returned no profile payload.',
  },
  profileMismatch: {
    code: 'MF-R010',
    name: 'malformed-model-profile',
    phase: 'resolution',
    message: () => 'Model profile lookup returned a mismatched profile.',
  },
  invalidToolReference: {
    code: 'MF-R011',
    name: 'invalid-tool-reference',
    phase: 'resolution',
    message: (_: unknown, { nodeId }) => `Node '${nodeId}' has invalid exact tool reference.`,
  },
  discoveryNotCatalog: {
    code: 'MF-C001_DISCOVERY_NOT_CATALOG',
    name: 'discovery-snapshot-not-catalog',
    phase: 'resolution',
    message: () => 'Connector discovery snapshots are not semantic tool catalogs.',
  },

  unknownPrerequisite: {
    code: 'MF-G001',
    name: 'unknown-prerequisite-node',
    phase: 'graph',
    message: ({ prerequisite }: PrerequisiteFields, { nodeId }) =>
      `Node '${nodeId}' references unknown prerequisite '${prerequisite}'.`,
  },
  selfPrerequisite: {
    code: 'MF-G002',
    name: 'self-prerequisite',
    phase: 'graph',
    message: (_: unknown, { nodeId }) => `Node '${nodeId}' cannot require itself.`,
  },
  duplicatePrerequisite: {
    code: 'MF-G003',
    name: 'duplicate-prerequisite',
    phase: 'graph',
    message: ({ prerequisite }: PrerequisiteFields, { nodeId }) =>
      `Node '${nodeId}' declares duplicate prerequisite '${prerequisite}'.`,
  },
  prerequisiteCycle: {
    code: 'MF-G004',
    name: 'prerequisite-cycle',
    phase: 'graph',
    messageOnly: ['members'],
    message: ({ members }: { members: string }) => `Prerequisite cycle includes ${members}.`,
  },
  unreachableNode: {
    code: 'MF-G005',
    name: 'unreachable-node',
    phase: 'graph',
    message: unreachableFromRoots,
  },
  unreachableTerminal: {
    code: 'MF-G006',
    name: 'unreachable-terminal',
    phase: 'graph',
    message: unreachableFromRoots,
  },
  ungatedTerminal: {
    code: 'MF-G006',
    name: 'unreachable-terminal',
    phase: 'graph',
    message: (_: unknown, { nodeId }) =>
      `Terminal node '${nodeId}' is not gated by required nodes.`,
  },
  unreachableRequiredNode: {
    code: 'MF-G007',
    name: 'unreachable-required-node',
    phase: 'graph',
    message: unreachableFromRoots,
  },
  terminalNodeRequired: {
    code: 'MF-G008',
    name: 'terminal-node-required',
    phase: 'graph',
    message: (_: unknown, { nodeId }) => `Terminal node '${nodeId}' cannot be required.`,
  },
  terminalResultIllegal: {
    code: 'MF-G009',
    name: 'terminal-result-illegal',
    phase: 'graph',
    message: ({ terminal_result }: TerminalFields) =>
      `Terminal result '${terminal_result}' is not allowed.`,
  },
  terminalResultDuplicate: {
    code: 'MF-G010',
    name: 'terminal-result-duplicate',
    phase: 'graph',
    message: ({ terminal_result }: TerminalFields) =>
      `Terminal result '${terminal_result}' is used by multiple nodes.`,
  },
  terminalMissing: {
    code: 'MF-G011',
    name: 'terminal-missing',
    phase: 'graph',
    message: () => 'Graph must contain at least one terminal node.',
  },
  terminalResultMissing: {
    code: 'MF-G011',
    name: 'terminal-missing',
    phase: 'graph',
    message: ({ terminal_result }: TerminalFields) =>
      `Terminal result '${terminal_result}' has no terminal node.`,
  },
  invalidArgumentMatch: {
    code: 'MF-G012',
    name: 'invalid-argument-match',
    phase: 'graph',
    messageOnly: ['fault'],
    message: ({ fault }: { fault: ArgumentMatchFault }) => ARGUMENT_MATCH_FAULTS[fault],
  },
  terminalPrerequisite: {
    code: 'MF-G013',
    name: 'terminal-prerequisite',
    phase: 'graph',
    messageOnly: ['prerequisite'],
    message: ({ prerequisite }: PrerequisiteFields) =>
      `Terminal node '${prerequisite}' cannot be a prerequisite.`,
  },
  unknownRequiredFor: {
    code: 'MF-G014',
    name: 'unknown-required-for',
    phase: 'graph',
    message: ({ terminal_result }: TerminalFields, { nodeId }) =>
      `Node '${nodeId}' is required for unknown terminal result '${terminal_result}'.`,
  },
  callBoundWithoutObligation: {
    code: 'MF-G015',
    name: 'call-bound-without-obligation',
    phase: 'graph',
    message: (_: unknown, { nodeId }) =>
      `Node '${nodeId}' has a least number of calls, but nothing requires it.`,
  },
  terminalCallsBounded: {
    code: 'MF-G016',
    name: 'terminal-calls-bounded',
    phase: 'graph',
    message: (_: unknown, { nodeId }) => `Terminal node '${nodeId}' cannot bound its calls.`,
  },
  dispositionWithoutTerminal: {
    code: 'MF-G017',
    name: 'disposition-without-terminal',
    phase: 'graph',
    message: (_: unknown, { nodeId }) => `Node '${nodeId}' has a disposition, but is not terminal.`,
  },
  dispositionByName: {
    code: 'MF-G018',
    name: 'disposition-by-name',
    severity: 'warning',
    phase: 'graph',
    message: ({ terminal_result }: TerminalFields) =>
      `Terminal result '${terminal_result}' counts as success, though its name says otherwise.`,
  },
  terminalResultUnreachable: {
    code: 'MF-G019',
    name: 'terminal-result-unreachable',
    severity: 'warning',
    phase: 'graph',
    message: ({ terminal_result }: TerminalFields) =>
      `Terminal result '${terminal_result}' is not among those that its tool accepts.`,
  },

  constraintWithoutNeed: {
    code: 'MF-C002',
    name: 'constraint-without-need',
    phase: 'capability',
    message: ({ capability_id }: { capability_id: string }) =>
      `Constrained capability '${capability_id}' is not needed by any tool.`,
  },
  constraintExceedsGrant: {
    code: 'MF-C003',
    name: 'constraint-exceeds-grant',
    phase: 'capability',
    message: ({ capability_id, constraint }: { capability_id: string; constraint: string }) =>
      `Constraint '${constraint}' of capability '${capability_id}' goes beyond its grant.`,
  },
  capabilityNotGranted: {
    code: 'MF-C001',
    name: 'capability-envelope-mismatch',
    phase: 'capability',
    message: ({ capability_id }: { capability_id: string }) =>
      `Required capability '${capability_id}' is not granted.`,
  },

  undeclaredProducedArtifact: {
    code: 'MF-A001',
    name: 'undeclared-produced-artifact',
    phase: 'artifact',
    message: ({ artifact_id }: ArtifactFields, { nodeId }) =>
      `Node '${nodeId}' produces undeclared artifact '${artifact_id}'.`,
  },
  undeclaredPossibleArtifact: {
    code: 'MF-A001',
    name: 'undeclared-produced-artifact',
    phase: 'artifact',
    message: ({ artifact_id }: ArtifactFields, { nodeId }) =>
      `Node '${nodeId}' binds a tool that can produce undeclared artifact '${artifact_id}'.`,
  },
  toolCannotProduceArtifact: {
    code: 'MF-A002',
    name: 'tool-cannot-produce-artifact',
    phase: 'artifact',
    message: ({ artifact_id }: ArtifactFields, { nodeId }) =>
      `Node '${nodeId}' cannot produce artifact '${artifact_id}'.`,
  },
  unknownTerminalPolicy: {
    code: 'MF-A003',
    name: 'unknown-terminal-artifact-policy',
    phase: 'artifact',
    message: ({ terminal_result }: TerminalFields) =>
      `Artifact policy references unknown terminal result '${terminal_result}'.`,
  },
  artifactWithoutProducer: {
    code: 'MF-A004',
    name: 'required-artifact-without-producer',
    phase: 'artifact',
    message: ({ artifact_id }: ArtifactFields) =>
      `Terminal-required artifact '${artifact_id}' has no valid producer.`,
  },
  artifactNotGated: {
    code: 'MF-A005',
    name: 'required-artifact-not-terminal-gated',
    phase: 'artifact',
    message: ({ artifact_id }: ArtifactFields) =>
      `Terminal-required artifact '${artifact_id}' has no terminal-gated producer.`,
  },
  duplicateDeclaredArtifact: {
    code: 'MF-A006',
    name: 'duplicate-artifact-id',
    phase: 'artifact',
    message: ({ artifact_id }: ArtifactFields) =>
      `Declared artifact '${artifact_id}' is duplicated.`,
  },
  duplicateProducedArtifact: {
    code: 'MF-A006',
    name: 'duplicate-artifact-id',
    phase: 'artifact',
    message: ({ artifact_id }: ArtifactFields, { nodeId }) =>
      `Node '${nodeId}' duplicates produced artifact '${artifact_id}'.`,
  },
  duplicateDemandedArtifact: {
    code: 'MF-A006',
    name: 'duplicate-artifact-id',
    phase: 'artifact',
    message: ({ artifact_id, terminal_result }: ArtifactFields & TerminalFields) =>
      `Terminal artifact policy '${terminal_result}' duplicates artifact '${artifact_id}'.`,
  },
  undeclaredRequiredArtifact: {
    code: 'MF-A007',
    name: 'undeclared-terminal-required-artifact',
    phase: 'artifact',
    message: ({ artifact_id }: ArtifactFields) =>
      `Terminal-required artifact '${artifact_id}' is not declared.`,
  },

  loweringFailed: {
    code: 'MF-L001',
    name: 'lowering-invariant-failed',
    phase: 'lowering',
    message: () => 'Lowering invariant failed.',
  },
  planInvalid: {
    code: 'MF-L002',
    name: 'compiled-plan-validation-failed',
    phase: 'lowering',
    message: () => 'Compiled plan model validation failed during lowering.',
  },
  sourceDigestFailed: {
    code: 'MF-L003',
    name: 'source-semantic-hash-failed',
    phase: 'lowering',
    message: () => 'Source semantic hash calculation failed during lowering.',
  },
  planDigestMismatch: {
    code: 'MF-L004',
    name: 'compiled-hash-verification-failed',
    phase: 'lowering',
    message: () => 'Compiled plan canonical hash verification failed.',
  },
  outputMoved: {
    code: 'MF-O001',
    name: 'output-path-invalid',
    phase: 'output',
    message: () => 'Output directory must stay within output_root.',
  },
  outputNotOpened: {
    code: 'MF-O001',
    name: 'output-path-invalid',
    phase: 'output',
    message: () => 'Output directory could not be admitted for diagnostics.',
  },
  outputNotConfirmed: {
    code: 'MF-O001',
    name: 'output-path-invalid',
    phase: 'output',
    message: () => 'Output directory could not be confirmed after admission.',
  },
  reportNotWritten: {
    code: 'MF-O002',
    name: 'diagnostics-write-failed',
    phase: 'output',
    message: () => 'Committed diagnostics report could not be written.',
  },
  planTooLarge: {
    code: 'MF-O003',
    name: 'plan-write-failed',
    phase: 'output',
    message: () => 'Compiled plan exceeds the output size limit.',
  },
  planNotWritten: {
    code: 'MF-O003',
    name: 'plan-write-failed',
    phase: 'output',
    message: () => 'Compiled plan temporary file could not be written.',
  },
  planUnsure: {
    code: 'MF-O003',
    name: 'plan-write-failed',
    phase: 'output',
    message: () => 'Compiled plan publication durability could not be confirmed.',
  },
  planConflict: {
    code: 'MF-O004',
    name: 'existing-output-integrity-failed',
    phase: 'output',
    message: () => 'Compiled plan destination already contains different bytes.',
  },
  leftover: {
    code: 'MF-O005',
    name: 'temporary-output-cleanup-failed',
    phase: 'output',
    message: () => 'Compiled plan temporary file could not be cleaned up.',
  },
  internal: {
    code: 'MF-I001',
    name: 'compiler-internal-error',
    phase: 'internal',
    message: () => 'Compiler service failed internally.',
  },
});

/** What can be wrong with one argument match. */
export type ArgumentMatchFault = keyof typeof ARGUMENT_MATCH_FAULTS;

type PrerequisiteFields = { prerequisite: string };
type TerminalFields = { terminal_result: string };
type ArtifactFields = { artifact_id: string };
type ToolVersionFields = { tool_id: string; tool_version: number };

function bindingUnresolved({ tool_id, tool_version }: ToolVersionFields): string {
  return `Tool binding ${tool_id}@${tool_version} could not be resolved.`;
}

function profileUnresolved({ profile_id }: { profile_id: string }): string {
  return `Model profile '${profile_id}' could not be resolved.`;
}

function unreachableFromRoots(_: unknown, place: { readonly nodeId?: string }): string {
  return `Node '${place.nodeId}' is not reachable from graph roots.`;
}

const ARGUMENT_MATCH_FAULTS = {
  'fan-out': 'Argument match fans out from one prerequisite argument.',
  'fan-in': 'Argument match fans in to one current argument.',
  'unknown-prior': 'Argument match references unknown prerequisite argument.',
  'unknown-current': 'Argument match references unknown current argument.',
  'optional-prior': 'Prerequisite argument match source must be required.',
  'optional-current': 'Current argument match target must be required.',
  incompatible: 'Argument match schemas are not compatible.',
} as const;
