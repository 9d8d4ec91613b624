import {
  deepFreeze,
  descriptorDigest,
  IDEMPOTENCIES,
  isArtifactId,
  isDottedId,
  isModelToolName,
  type JsonSchema,
  looksSecret,
  MillforgeError,
  normalizeSchema,
  SIDE_EFFECT_CLASSES,
  TOOL_APPROVALS,
  TOOL_ORIGINS,
  type Tool,
  type ToolDescriptor,
} from '@millforge/contracts';
import type { RegisteredTool } from './registry-snapshot.ts';
import { misplacedId } from './reserved-ids.ts';

/**
 * Checks a tool and takes a frozen copy of what it is; the digest is computed, never supplied.
 *
 * @throws `registry/invalid-descriptor` naming the field, without echoing its value.
 * @throws `registry/reserved-id` for an id in the namespace of another origin.
 */
export function admitTool(tool: Tool): RegisteredTool {
  if (!isRecord(tool)) throw invalid('definition', 'an object');
  const descriptor = deepFreeze(readDescriptor(tool.descriptor));
  const { approval = 'none' } = tool;
  demandOneOf(tool.origin, 'origin', TOOL_ORIGINS);
  demandOneOf(approval, 'approval', TOOL_APPROVALS);
  const misplaced = misplacedId(descriptor.tool_id, tool.origin);
  if (misplaced !== null) {
    throw new MillforgeError(
      'registry/reserved-id',
      `The tool id ${descriptor.tool_id} is not free for origin ${tool.origin}: ${misplaced}.`,
      { details: { tool_id: descriptor.tool_id, origin: tool.origin } },
    );
  }
  if (typeof tool.implementation?.prepare !== 'function') {
    throw invalid('implementation', 'an object with a prepare function');
  }
  for (const stage of ['check', 'explainArguments', 'reach', 'reconcile'] as const) {
    const code = tool.implementation[stage];
    // Found out at a call, it would be a failure of every call.
    demand(code === undefined || typeof code === 'function', 'implementation', STAGES);
  }
  return Object.freeze({
    descriptor,
    descriptorSha256: descriptorDigest(descriptor),
    origin: tool.origin,
    approval,
    implementation: tool.implementation,
  });
}

function readDescriptor(raw: ToolDescriptor): ToolDescriptor {
  // The type is a promise of the caller; plain JavaScript can hand in anything.
  const given: { readonly [key: string]: unknown } = isRecord(raw) ? { ...raw } : {};
  for (const key of Object.keys(given)) {
    if (!FIELDS.has(key)) throw invalid('descriptor', 'free of unknown fields');
  }
  demand(given['schema_version'] === 1, 'schema_version', '1');
  demand(given['kind'] === KIND, 'kind', KIND);
  const { side_effect_class: sideEffect, idempotency } = raw;
  demandOneOf(sideEffect, 'side_effect_class', SIDE_EFFECT_CLASSES);
  demandOneOf(idempotency, 'idempotency', IDEMPOTENCIES);
  const toolId = text(given['tool_id'], 'tool_id', 160);
  demand(isDottedId(toolId), 'tool_id', 'a dotted id');
  const modelToolName = text(given['model_tool_name'], 'model_tool_name', 64);
  demand(isModelToolName(modelToolName), 'model_tool_name', '1 to 64 of A-Z a-z 0-9 _ -');
  const capabilities = sortedIds(
    given['required_capabilities'],
    isDottedId,
    'required_capabilities',
  );
  const artifacts = sortedIds(
    given['produced_artifact_ids'],
    isArtifactId,
    'produced_artifact_ids',
  );
  demand(
    capabilities.length > 0 || (sideEffect === 'read_only' && artifacts.length === 0),
    'required_capabilities',
    'at least one capability for a tool with effects or artifacts',
  );
  const timeout = record(given['timeout_policy'], 'timeout_policy', TIMEOUT_FIELDS);
  const output = record(given['output_policy'], 'output_policy', OUTPUT_FIELDS);
  const redact = output['redact_secrets'];
  if (typeof redact !== 'boolean') throw invalid('output_policy/redact_secrets', 'true or false');
  return {
    schema_version: 1,
    kind: KIND,
    tool_id: toolId,
    tool_version: integer(given['tool_version'], 'tool_version', 2_147_483_647),
    implementation_id: openText(given['implementation_id'], 'implementation_id', 256),
    model_tool_name: modelToolName,
    description: openText(given['description'], 'description', 4096),
    input_schema: schema(given['input_schema'], 'input_schema'),
    output_schema: schema(given['output_schema'], 'output_schema'),
    required_capabilities: capabilities,
    produced_artifact_ids: artifacts,
    side_effect_class: sideEffect,
    idempotency,
    timeout_policy: {
      timeout_seconds: integer(timeout['timeout_seconds'], 'timeout_seconds', 86_400),
      cancellation_grace_seconds: integer(
        timeout['cancellation_grace_seconds'],
        'cancellation_grace_seconds',
        3600,
      ),
    },
    output_policy: {
      max_output_bytes: integer(output['max_output_bytes'], 'max_output_bytes', 67_108_864),
      max_summary_utf8: integer(output['max_summary_utf8'], 'max_summary_utf8', 65_536),
      redact_secrets: redact,
    },
  };
}

function text(value: unknown, field: string, maxBytes: number): string {
  if (typeof value !== 'string' || value.trim() === '' || utf8Bytes(value) > maxBytes) {
    throw invalid(field, `text of 1 to ${maxBytes} bytes`);
  }
  return value;
}

function openText(value: unknown, field: string, maxBytes: number): string {
  const found = text(value, field, maxBytes);
  demand(!looksSecret(found), field, 'free of anything that looks like a secret');
  return found;
}

function schema(raw: unknown, field: string): JsonSchema {
  const result = normalizeSchema(raw, `/${field}`, {
    version: '1.1',
    // The narrower subset took any annotation unread, and descriptors that were written for it stay good.
    unfitAnnotations: 'drop',
  });
  if (!result.ok) throw invalid(field, `a schema of the accepted subset: ${result.message}`);
  // Property names are exempt: a property called api_key is no secret, a literal of that shape is.
  demand(!holdsSecret(result.value), field, 'free of literals that look like secrets');
  return result.value;
}

function holdsSecret(value: unknown): boolean {
  if (typeof value === 'string') return looksSecret(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsSecret);
}

function sortedIds(
  value: unknown,
  isValid: (id: string) => boolean,
  field: string,
): readonly string[] {
  if (!Array.isArray(value)) throw invalid(field, 'an array');
  const ids: string[] = [];
  for (const id of value) {
    if (typeof id !== 'string' || !isValid(id)) throw invalid(field, 'ids of the right form');
    ids.push(id);
  }
  demand(new Set(ids).size === ids.length, field, 'free of duplicates');
  return ids.toSorted();
}

function record(
  value: unknown,
  field: string,
  fields: ReadonlySet<string>,
): { readonly [key: string]: unknown } {
  if (!isRecord(value) || !Object.keys(value).every((key) => fields.has(key))) {
    throw invalid(field, `an object of ${[...fields].join(', ')}`);
  }
  return value;
}

function integer(value: unknown, field: string, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) {
    return value;
  }
  throw invalid(field, `an integer from 1 to ${max}`);
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function demandOneOf(value: string, field: string, words: readonly string[]): void {
  demand(words.includes(value), field, `one of ${words.join(', ')}`);
}

function demand(isRight: boolean, field: string, expected: string): void {
  if (!isRight) throw invalid(field, expected);
}

function invalid(field: string, expected: string): MillforgeError {
  return new MillforgeError(
    'registry/invalid-descriptor',
    `The tool's ${field} must be ${expected}.`,
    { details: { field } },
  );
}

function utf8Bytes(value: string): number {
  return new TextEncoder().encode(value).length;
}

const KIND = 'millforge.tool_descriptor.v1';
const TIMEOUT_FIELDS = new Set(['timeout_seconds', 'cancellation_grace_seconds']);
const OUTPUT_FIELDS = new Set(['max_output_bytes', 'max_summary_utf8', 'redact_secrets']);
const STAGES =
  'an object whose check, explainArguments, reach and reconcile are functions where it has them';
const FIELDS = new Set([
  'schema_version',
  'kind',
  'tool_id',
  'tool_version',
  'implementation_id',
  'model_tool_name',
  'description',
  'input_schema',
  'output_schema',
  'required_capabilities',
  'produced_artifact_ids',
  'side_effect_class',
  'idempotency',
  'timeout_policy',
  'output_policy',
]);
