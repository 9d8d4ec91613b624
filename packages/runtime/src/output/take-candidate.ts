import {
  canonicalJson,
  type JsonObject,
  type SelectedOutput,
  validateJson,
} from '@millforge/contracts';
import { type AdmittedOutput, CANDIDATE } from './admit-outputs.ts';

/** A terminal's arguments without the structured result, and that result. */
export interface TakenCandidate {
  /** What the tool is given. */
  readonly rest: JsonObject;
  /** The structured result; null when none was asked for, or it is refused. */
  readonly output: SelectedOutput | null;
  /** Why it is refused, for the model; null when it is not. */
  readonly refusal: string | null;
}

/** Takes the structured result out of a terminal's arguments; absent is something else than null. */
export function takeCandidate(
  input: JsonObject,
  asked: AdmittedOutput | undefined,
): TakenCandidate {
  if (asked === undefined) return { rest: input, output: null, refusal: null };
  const { [CANDIDATE]: value, ...rest } = input;
  const schema_sha256 = asked.schemaSha256;
  if (value === undefined) {
    const refusal = asked.required
      ? '[terminal_intent_invalid] $.candidate is required: it carries the structured result.'
      : null;
    return { rest, output: asked.required ? null : { present: false, schema_sha256 }, refusal };
  }
  const violation = validateJson(value, asked.schema);
  if (violation !== null) {
    const refusal = `[terminal_intent_invalid] $.candidate: ${violation.message}.`;
    return { rest, output: null, refusal };
  }
  if (canonicalJson(value).length > MAX_BYTES) {
    const refusal = `[terminal_intent_invalid] $.candidate is larger than ${MAX_BYTES} bytes; give a shorter one.`;
    return { rest, output: null, refusal };
  }
  return { rest, output: { present: true, schema_sha256, value }, refusal: null };
}

const MAX_BYTES = 1_048_576;
