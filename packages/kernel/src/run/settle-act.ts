import {
  type ActResult,
  type Failure,
  type JsonObject,
  type JsonValue,
  MillforgeError,
  type Refusal,
  type Usage,
} from '@millforge/contracts';
import { type Payload, toPayload } from '../store/payloads.ts';
import { toWellFormed } from '../store/well-formed-text.ts';

/** How an act ended, as far as anybody can tell. */
export type Settled =
  | {
      readonly kind: 'done';
      readonly value: Payload;
      readonly after: Payload | null;
      readonly usage: Usage | null;
    }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'unavailable'; readonly failure: Failure }
  /** It waits for a person. */
  | { readonly kind: 'held'; readonly failure: Failure }
  | { readonly kind: 'uncertain'; readonly failure: Failure };

/** Reads what an act gave. A value that cannot be recorded counts like a throw: its effect may have happened. */
export function settledValue(result: ActResult<JsonValue>, mayHaveEffect: boolean): Settled {
  try {
    const value = toPayload(result.value);
    if (value.text.length > MAX_OUTCOME_BYTES) {
      throw new MillforgeError('kernel/operation-invalid', TOO_LARGE);
    }
    return {
      kind: 'done',
      value,
      after: result.after === undefined ? null : toPayload(result.after),
      usage: result.usage ?? null,
    };
  } catch (error) {
    return settledThrow(error, mayHaveEffect);
  }
}

/** Reads what an act threw. */
export function settledThrow(error: unknown, mayHaveEffect: boolean): Settled {
  if (MillforgeError.is(error)) {
    switch (error.code) {
      case 'operation/failed':
        return { kind: 'failed', failure: failureOf(error) };
      case 'operation/uncertain':
        return { kind: 'uncertain', failure: failureOf(error) };
      case 'operation/held':
        // What may have had an effect cannot ask first.
        return { kind: mayHaveEffect ? 'uncertain' : 'held', failure: failureOf(error) };
      case 'operation/unavailable':
        return { kind: 'unavailable', failure: failureOf(error) };
    }
  }
  return { kind: mayHaveEffect ? 'uncertain' : 'failed', failure: failureOf(error) };
}

/** The failure that an error carries, or the one that it is. */
export function failureOf(error: unknown): Failure {
  if (MillforgeError.is(error)) {
    const details = objectOf(error.details);
    const code = error.code.startsWith('operation/') ? details?.['code'] : error.code;
    const data = error.code.startsWith('operation/') ? details?.['data'] : undefined;
    return {
      code: typeof code === 'string' ? code : 'unknown',
      message: shortened(error.message),
      ...(data === undefined || !isRecordable(data) ? {} : { data }),
    };
  }
  const { name, message } = namesOf(error);
  return { code: name === 'Error' ? 'threw' : name, message: shortened(message || name) };
}

/** What an error says of itself; reading it runs code of whoever threw it. */
function namesOf(error: unknown): { readonly name: string; readonly message: string } {
  const unknown = { name: 'unknown', message: 'Something that is no error was thrown.' };
  try {
    if (!(error instanceof Error)) return unknown;
    const { name, message }: { readonly name: unknown; readonly message: unknown } = error;
    return { name: String(name), message: String(message) };
  } catch {
    // Whatever reading it throws says nothing about the act.
    return unknown;
  }
}

/** A message goes into rows, records and views, so that one that quotes a whole file is cut. */
function shortened(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH
    ? message
    : toWellFormed(`${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…`);
}

function isRecordable(data: JsonValue): boolean {
  try {
    return toPayload(data).text.length <= MAX_FAILURE_DATA_BYTES;
  } catch (error) {
    if (MillforgeError.is(error)) return false;
    throw error;
  }
}

/** A failure or refusal as it is recorded. */
export function plainFailure({ code, message, data }: Failure | Refusal): JsonObject {
  return data === undefined ? { code, message } : { code, message, data };
}

/** A recorded failure or refusal as it is handed out. */
export function readFailure(value: JsonValue): Failure {
  const fields = objectOf(value);
  const data = fields?.['data'];
  const [code, message] = [fields?.['code'], fields?.['message']];
  return {
    code: typeof code === 'string' ? code : 'unknown',
    message: typeof message === 'string' ? message : '',
    ...(data === undefined ? {} : { data }),
  };
}

function objectOf(value: JsonValue | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject) // An object that is no array.
    : null;
}

const MAX_OUTCOME_BYTES = 1_048_576;
const MAX_FAILURE_DATA_BYTES = 262_144;
const MAX_MESSAGE_LENGTH = 16_384;
const TOO_LARGE =
  'The outcome is larger than 1 MiB; save the bytes as an artifact and return its reference.';
