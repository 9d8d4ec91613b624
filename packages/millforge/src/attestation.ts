import { type JsonObject, type JsonValue, type MillforgeError } from '@millforge/contracts';
import type { OperationView } from '@millforge/kernel';
import { millforgeError } from './millforge-error.ts';

/**
 * What `accept` takes for an operation, to be edited by a person: that the call happened, and that
 * nobody saw its output. Null when there is no such form.
 */
export function attestationTemplate(operation: OperationView | null): JsonValue {
  if (operation === null || operation.kind !== 'tool') return operation?.outcome_template ?? null;
  return {
    outcome: {
      status: 'success',
      error_code: null,
      text: ATTESTED_TEXT,
      data: {},
      certainty: 'confirmed_complete',
      truncated: false,
      artifact_ids: [],
    },
    trace: null,
  };
}

/**
 * Reads the outcome of a tool call that a person attests; a resumed run goes on from it.
 *
 * @throws `millforge/document` naming the place and what was expected.
 */
export function readAttestation(value: JsonValue): JsonValue {
  const whole = closed(value, '', { outcome: isObject, trace: isTrace });
  const outcome = closed(whole['outcome'] ?? null, '/outcome', OUTCOME);
  const isSuccess = outcome['status'] === 'success';
  if (isSuccess !== (outcome['error_code'] === null)) {
    throw wrong('/outcome/error_code', isSuccess ? 'null for a success' : 'a code for a failure');
  }
  return { outcome, trace: whole['trace'] ?? null };
}

type Check = (value: JsonValue) => boolean;

function closed(
  value: JsonValue,
  path: string,
  fields: Readonly<Record<string, Check>>,
): JsonObject {
  if (!isObject(value)) throw wrong(path, 'an object');
  for (const [name, isRight] of Object.entries(fields)) {
    const field = value[name];
    if (field === undefined || !isRight(field)) throw wrong(`${path}/${name}`, EXPECTED[name]);
  }
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) {
      throw wrong(`${path}/${name.slice(0, 40)}`, `one of ${Object.keys(fields).join(', ')}`);
    }
  }
  return value;
}

function oneOf(...words: readonly string[]): Check {
  return (value) => typeof value === 'string' && words.includes(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTrace(value: JsonValue): boolean {
  return value === null || isObject(value);
}

function wrong(path: string, expected = 'another value'): MillforgeError {
  return millforgeError(
    'millforge/document',
    `The outcome is wrong at ${path || '/'}: expected ${expected}.`,
  );
}

const OUTCOME: Readonly<Record<string, Check>> = {
  status: oneOf(
    'success',
    'soft_failure',
    'hard_failure',
    'not_executed',
    'cancelled',
    'timed_out',
  ),
  error_code: (value) => value === null || (typeof value === 'string' && /^[a-z_]+$/.test(value)),
  text: (value) => typeof value === 'string' && value.trim() !== '',
  data: isObject,
  certainty: oneOf(
    'not_attempted',
    'confirmed_absent',
    'confirmed_complete',
    'rolled_back',
    'completion_unknown',
  ),
  truncated: (value) => typeof value === 'boolean',
  artifact_ids: (value) =>
    Array.isArray(value) && value.every((item: JsonValue) => typeof item === 'string'),
};

const EXPECTED: Readonly<Record<string, string>> = {
  outcome: 'an object with status, error_code, text, data, certainty, truncated, artifact_ids',
  trace: 'null or an object',
  status: 'success, soft_failure, hard_failure, not_executed, cancelled or timed_out',
  error_code: 'null or a code such as io_error',
  text: 'the text that the model will read',
  data: 'an object',
  certainty:
    'confirmed_complete, confirmed_absent, rolled_back, not_attempted or completion_unknown',
  truncated: 'true or false',
  artifact_ids: 'a list of texts',
};

const ATTESTED_TEXT =
  'A person attests that this call was carried out; its output was not observed. Check its effect before you rely on it.';
