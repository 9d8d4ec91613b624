import {
  deepFreeze,
  type JsonObject,
  type JsonValue,
  type OutcomeImage,
  type Redactor,
  type SideEffectCertainty,
  type ToolErrorCode,
  type ToolOutcome,
  type ToolStatus,
} from '@millforge/contracts';
import type { BoundNode } from './bind-plan.ts';
import { boundData } from './bound-data.ts';
import { boundText } from './bound-text.ts';
import { certaintyInDoubt } from './operation-class.ts';
import { isJsonObject, toPlainCopy } from './plain-json.ts';
import { readImages } from './read-images.ts';

/** An answer of a tool's code, brought to what the contract promises. */
export interface SettledResult {
  /** Frozen to its leaves, images apart. */
  readonly outcome: ToolOutcome;
  /** `text`, `$.files[3].body`. */
  readonly truncatedPaths: readonly string[];
  /** Evidence of the state afterwards, when the tool gave some. */
  readonly after: JsonValue | undefined;
}

/**
 * Checks, redacts and bounds what a tool answered, in this order and each once. Total: an answer that
 * breaks the contract becomes a failure, and what is known about the effect is kept.
 */
export function settleResult(answer: unknown, bound: BoundNode, redactor: Redactor): SettledResult {
  const read = readAnswer(answer);
  if (read === null) {
    return failure(
      'implementation_error',
      'The tool answered with something that is no result.',
      certaintyInDoubt(bound.tool.descriptor),
    );
  }
  const fault = contractFault(read, bound);
  // Evidence for the trail only, so redacted whatever the tool asks for.
  const after = read.after === undefined ? undefined : redactor.value(read.after);
  if (fault !== null) {
    return { ...failure('output_validation_failed', redactor.text(fault), read.certainty), after };
  }
  const { output_policy: policy, output_schema: schema } = bound.tool.descriptor;
  const data = boundData(
    policy.redact_secrets ? withoutSecrets(read, redactor) : read.data,
    schema,
    policy.max_output_bytes,
  );
  if (!data.ok) {
    const message = `The tool's result takes ${data.bytes} bytes, its limit is ${policy.max_output_bytes}.`;
    return { ...failure('output_validation_failed', message, read.certainty), after };
  }
  // Redaction replaces text only, which an enumerated value may not survive.
  const isChanged = data.data !== read.data;
  const changed = isChanged && read.code === null ? bound.validateOutput(data.data) : null;
  if (changed !== null) {
    const message = `The tool's result no longer fits its schema without its secrets: ${changed.message}.`;
    return {
      ...failure('output_validation_failed', redactor.text(message), read.certainty),
      after,
    };
  }
  const said = read.text ?? JSON.stringify(data.data);
  const text = boundText(
    visible(policy.redact_secrets ? redactor.text(said) : said),
    policy.max_summary_utf8,
  );
  const outcome: ToolOutcome = {
    status: read.code === null ? 'success' : statusOf(read.code),
    error_code: read.code,
    text: text.text,
    data: isChanged ? deepFreeze(data.data) : data.data,
    certainty: read.certainty,
    truncated: read.truncated || text.isCut || data.cutPaths.length > 0,
    artifact_ids: producedArtifacts(read, bound),
  };
  return {
    outcome: Object.freeze(
      read.images.length === 0 ? outcome : { ...outcome, images: read.images },
    ),
    truncatedPaths: text.isCut ? ['text', ...data.cutPaths] : data.cutPaths,
    after,
  };
}

/** An outcome without data that says why a call did not succeed. */
export function failure(
  code: ToolErrorCode,
  message: string,
  certainty: SideEffectCertainty,
): SettledResult {
  const status = certainty === 'not_attempted' ? refusalStatus(code) : statusOf(code);
  const outcome = failedOutcome({ code, status, message, certainty });
  return { outcome, truncatedPaths: [], after: undefined };
}

/** The outcome of a failed or refused call. */
export function failedOutcome(what: {
  readonly code: ToolErrorCode;
  readonly status: ToolStatus;
  readonly message: string;
  readonly certainty: SideEffectCertainty;
}): ToolOutcome {
  return Object.freeze({
    status: what.status,
    error_code: what.code,
    text: visible(boundText(what.message, 8192).text),
    data: NO_DATA,
    certainty: what.certainty,
    truncated: false,
    artifact_ids: NONE,
  });
}

/** How a call ends that was refused for that reason. */
export function refusalStatus(code: ToolErrorCode): ToolStatus {
  return isCorrectable(code) ? 'not_executed' : 'hard_failure';
}

/** Whether asking in another way can help. */
export function isCorrectable(code: ToolErrorCode): boolean {
  return (
    code !== 'binding_mismatch' &&
    code !== 'output_validation_failed' &&
    code !== 'implementation_error' &&
    code !== 'ambiguous_side_effect'
  );
}

/** The keys of a success are those of its schema; a failure may have any. */
function withoutSecrets({ code, data }: Answer, redactor: Redactor): JsonObject {
  // Most tools answer without structured data.
  if (Object.keys(data).length === 0) return data;
  const redacted = redactor.value(data);
  const shown = code === null ? redacted : withoutSecretKeys(redacted, redactor);
  return isJsonObject(shown) ? shown : data;
}

function producedArtifacts({ artifactIds }: Answer, { node }: BoundNode): readonly string[] {
  if (artifactIds.length === 0) return NONE;
  return Object.freeze(artifactIds.filter((id) => node.produced_artifact_ids.includes(id)));
}

function withoutSecretKeys(value: JsonValue, redactor: Redactor): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (!isJsonObject(value)) return value.map((item) => withoutSecretKeys(item, redactor));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactor.text(key),
      withoutSecretKeys(item, redactor),
    ]),
  );
}

function statusOf(code: ToolErrorCode): ToolStatus {
  if (code === 'timeout') return 'timed_out';
  if (code === 'cancelled') return 'cancelled';
  return isCorrectable(code) && code !== 'process_launch_error' ? 'soft_failure' : 'hard_failure';
}

interface Answer {
  readonly code: ToolErrorCode | null;
  /** Null where the data speak for themselves. */
  readonly text: string | null;
  readonly data: JsonObject;
  readonly certainty: SideEffectCertainty;
  readonly artifactIds: readonly string[];
  readonly images: readonly OutcomeImage[];
  readonly truncated: boolean;
  readonly after: JsonValue | undefined;
}

/** Reads what a tool answered; null when it is no result at all. */
function readAnswer(answer: unknown): Answer | null {
  const plain = toPlainCopy(answer, { dropUndefined: true });
  if (!plain.ok || !isJsonObject(plain.value)) return null;
  const {
    kind,
    code,
    text,
    data = NO_DATA,
    certainty,
    artifactIds = NONE,
    images: given,
    truncated,
    after,
  } = plain.value;
  if (!isJsonObject(data) || !isTextArray(artifactIds)) return null;
  const failed = kind === 'failed' && isErrorCode(code) ? code : null;
  if (failed === null && kind !== 'done') return null;
  const isSilent = failed === null && text === undefined;
  if (typeof text !== 'string' && !isSilent) return null;
  const images = failed !== null || given === undefined ? [] : readImages(given);
  if (images === null) return null;
  const known = isCertainty(certainty) ? certainty : 'confirmed_absent';
  return {
    code: failed,
    text: typeof text === 'string' ? text : null,
    data,
    certainty: failed === null ? 'confirmed_complete' : known,
    artifactIds,
    images,
    truncated: truncated === true,
    after,
  };
}

function contractFault(answer: Answer, bound: BoundNode): string | null {
  const { descriptor } = bound.tool;
  const foreign = answer.artifactIds.some((id) => !descriptor.produced_artifact_ids.includes(id));
  if (foreign) return 'The tool named an artifact that its descriptor does not declare.';
  // The schema describes success; a failure may know less.
  const violation = answer.code === null ? bound.validateOutput(answer.data) : null;
  return violation === null
    ? null
    : `The tool's result does not fit its output schema: ${violation.message}.`;
}

/** Servers refuse an empty result, and a whole request for half of a surrogate pair in it. */
function visible(text: string): string {
  return text.trim() === '' ? '[empty]' : text.replace(LONE_SURROGATE, '\ufffd');
}

function isTextArray(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Tells a code of the closed set from any other value. */
export function isErrorCode(value: unknown): value is ToolErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value);
}

function isCertainty(value: JsonValue | undefined): value is SideEffectCertainty {
  return typeof value === 'string' && Object.hasOwn(CERTAINTIES, value);
}

const NO_DATA: JsonObject = Object.freeze({});
const NONE: readonly never[] = Object.freeze([]);
const LONE_SURROGATE = /\p{Surrogate}/gu;

// Objects keyed by the union, so that the compiler asks for every member.
const ERROR_CODES: { readonly [K in ToolErrorCode]: true } = {
  invalid_arguments: true,
  capability_denied: true,
  policy_denied: true,
  prerequisite_denied: true,
  not_found: true,
  conflict: true,
  timeout: true,
  cancelled: true,
  terminal_intent_invalid: true,
  binding_mismatch: true,
  output_validation_failed: true,
  implementation_error: true,
  ambiguous_side_effect: true,
  permission_denied: true,
  io_error: true,
  process_exit_nonzero: true,
  process_launch_error: true,
};
const CERTAINTIES: { readonly [K in SideEffectCertainty]: true } = {
  not_attempted: true,
  confirmed_absent: true,
  confirmed_complete: true,
  rolled_back: true,
  completion_unknown: true,
};
