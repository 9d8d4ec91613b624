import { defineDiagnostics } from '@millforge/contracts';
import { approvalWord } from './custom-tool-manifest.ts';

/** Every diagnostic of this package. */
export const found = defineDiagnostics('MF-CT', {
  sourceMalformed: row('MF-CT001', 'source-malformed', 'source', expectedHere),
  policyMalformed: row('MF-CT001', 'source-malformed', 'policy', expectedHere),
  notJson: {
    code: 'MF-CT001',
    name: 'source-malformed',
    phase: 'source',
    message: ({ hazard }: { hazard: string }) =>
      hazard === 'recursive_reference'
        ? 'The value contains itself; JSON cannot hold that.'
        : 'The value is none that JSON can hold.',
  },
  tooManyTools: {
    code: 'MF-CT001',
    name: 'source-malformed',
    phase: 'policy',
    message: ({ limit }: { limit: number }) => `The policy admits at most ${limit} tools.`,
  },
  descriptionTooLong: {
    code: 'MF-CT001',
    name: 'source-malformed',
    phase: 'policy',
    message: ({ tool_id, limit }: { tool_id: string; limit: number }) =>
      `The description of ${tool_id} is longer than the ${limit} bytes that the policy admits.`,
  },
  secretMaterial: {
    code: 'MF-CT002',
    name: 'secret-material',
    phase: 'source',
    message: ({ hazard: _hazard }: { hazard: string }) =>
      'The value looks like a secret; a manifest holds none.',
  },
  runtimeKindUnsupported: {
    code: 'MF-CT003',
    name: 'runtime-kind-unsupported',
    phase: 'source',
    message: ({ expected }: { expected: string }) =>
      `The runtime kind is not known here; expected ${expected}.`,
  },
  runtimeKindRefused: {
    code: 'MF-CT003',
    name: 'runtime-kind-unsupported',
    phase: 'policy',
    message: ({ runtime_kind }: { runtime_kind: string }) =>
      `The policy does not admit tools of the runtime kind ${runtime_kind}.`,
  },
  executableMaterial: {
    code: 'MF-CT004',
    name: 'executable-material',
    severity: 'warning',
    phase: 'source',
    message: ({ hazard }: { hazard: string }) =>
      `The text looks like a ${hazard.replaceAll('_', ' ')}; nothing runs it, but a model may copy it.`,
  },
  duplicateTool: {
    code: 'MF-CT005',
    name: 'duplicate-tool',
    phase: 'source',
    message: ({ tool }: { tool: string }) => `Two tools are ${tool}.`,
  },
  duplicateModelToolName: {
    code: 'MF-CT006',
    name: 'duplicate-model-tool-name',
    phase: 'source',
    message: ({ model_tool_name }: { model_tool_name: string }) =>
      `Two tools are shown to the model as ${model_tool_name}.`,
  },
  duplicateImplementationId: {
    code: 'MF-CT007',
    name: 'duplicate-implementation-id',
    phase: 'source',
    message: ({ implementation_id }: { implementation_id: string }) =>
      `Two tools name the implementation ${implementation_id}.`,
  },
  inputSchemaUnsupported: schemaRow('MF-CT008', 'input-schema-unsupported'),
  inputSchemaTooLarge: largeRow('MF-CT008', 'input-schema-unsupported'),
  outputSchemaUnsupported: schemaRow('MF-CT009', 'output-schema-unsupported'),
  outputSchemaTooLarge: largeRow('MF-CT009', 'output-schema-unsupported'),
  descriptionUnsafe: {
    code: 'MF-CT010',
    name: 'description-unsafe',
    severity: 'warning',
    phase: 'source',
    message: ({ hazard: _hazard }: { hazard: string }) =>
      'The description reads like an instruction to the model.',
  },
  capabilitiesMalformed: row('MF-CT011', 'capability-missing', 'source', expectedHere),
  capabilityMissing: {
    code: 'MF-CT011',
    name: 'capability-missing',
    phase: 'source',
    message: ({ side_effect_class }: { side_effect_class: string }) =>
      `A tool of the class ${side_effect_class}, or one with artifacts, requires at least one capability.`,
  },
  capabilityUnknown: {
    code: 'MF-CT012',
    name: 'capability-unknown',
    phase: 'policy',
    message: ({ capability_id }: { capability_id: string }) =>
      `The policy does not admit the capability ${capability_id}.`,
  },
  artifactsMalformed: row('MF-CT013', 'artifact-policy-invalid', 'source', expectedHere),
  duplicateArtifact: {
    code: 'MF-CT013',
    name: 'artifact-policy-invalid',
    phase: 'source',
    message: ({ artifact_id, first_tool_id }: { artifact_id: string; first_tool_id: string }) =>
      `The artifact ${artifact_id} is produced by ${first_tool_id} already.`,
  },
  approvalMalformed: row('MF-CT014', 'approval-policy-invalid', 'source', expectedHere),
  approvalRequired: {
    code: 'MF-CT014',
    name: 'approval-policy-invalid',
    phase: 'source',
    message: ({ side_effect_class }: { side_effect_class: string }) =>
      `A tool of the class ${side_effect_class} needs the approval explicit or out_of_band.`,
  },
  approvalRefused: {
    code: 'MF-CT014',
    name: 'approval-policy-invalid',
    phase: 'policy',
    message: (facts: { approval_policy: string; side_effect_class: string }) =>
      `The policy does not admit the approval ${approvalWord(facts.approval_policy)} for tools of the class ${facts.side_effect_class}.`,
  },
  artifactApprovalRequired: {
    code: 'MF-CT014',
    name: 'approval-policy-invalid',
    phase: 'policy',
    message: ({ tool_id }: { tool_id: string }) =>
      `${tool_id} produces artifacts, so that somebody has to agree to its calls.`,
  },
  forbiddenTool: {
    code: 'MF-CT015',
    name: 'forbidden-tool-compiled',
    phase: 'source',
    message: () => 'A tool whose calls are forbidden is not compiled.',
  },
  timeoutInvalid: row('MF-CT016', 'timeout-policy-invalid', 'source', expectedHere),
  outputPolicyInvalid: row('MF-CT017', 'output-policy-invalid', 'source', expectedHere),
  hashMismatch: {
    code: 'MF-CT018',
    name: 'hash-mismatch',
    phase: 'compilation',
    message: ({ hash, actual }: { hash: string; actual: string }) =>
      `The ${hash} is ${actual}, another one was expected.`,
  },
  hashMissing: {
    code: 'MF-CT018',
    name: 'hash-mismatch',
    phase: 'policy',
    message: ({ hash }: { hash: string }) => `The policy asks for the expected ${hash}.`,
  },
  projectionFailed: {
    code: 'MF-CT019',
    name: 'descriptor-projection-failed',
    phase: 'compilation',
    message: ({ field, error_type: _type }: { field: string; error_type: string }) =>
      `The declaration makes no descriptor: its ${field} is more than a descriptor holds.`,
  },
  implementationInvalid: row('MF-CT020', 'implementation-invalid', 'source', expectedHere),
  implementationMismatch: {
    code: 'MF-CT020',
    name: 'implementation-invalid',
    phase: 'source',
    message: ({ reason }: { reason: string }) => `The implementation does not fit: ${reason}.`,
  },
  reservedId: {
    code: 'MF-CT021',
    name: 'reserved-tool-id',
    phase: 'source',
    message: ({ prefix }: { prefix: string }) =>
      `Ids that begin with ${prefix} belong to another origin.`,
  },
});

function expectedHere({
  expected,
}: {
  readonly expected: string;
  readonly field?: string;
}): string {
  return `The value is wrong or missing; expected ${expected}.`;
}

function row<Code extends string, Message>(
  code: Code,
  name: string,
  ...[phase, message]: [phase: string, message: Message]
): {
  readonly code: Code;
  readonly name: string;
  readonly phase: string;
  readonly message: Message;
} {
  return { code, name, phase, message };
}

function schemaRow(code: string, name: string) {
  return {
    code,
    name,
    phase: 'source',
    message: ({ schema_error }: { schema_error: string; error_type?: string; field?: string }) =>
      `The schema is outside of the accepted subset: ${schema_error}.`.replace(/\.\.$/u, '.'),
  };
}

function largeRow(code: string, name: string) {
  return {
    code,
    name,
    phase: 'policy',
    message: ({ size, limit }: { size: number; limit: number }) =>
      `The schema has ${size} bytes; the policy admits ${limit}.`,
  };
}
