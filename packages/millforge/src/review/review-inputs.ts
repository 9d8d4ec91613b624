import type { ModelSetting, ReviewRequest } from '@millforge/cli';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import { millforgeError } from '../millforge-error.ts';
import { readModelSetting } from '../model-setting.ts';

/** What a review keeps of its request: enough to go on without repeating it. */
export interface ReviewInputs
  extends Required<
    Pick<ReviewRequest, 'repository' | 'roles' | 'model' | 'timeoutMs' | 'signOff'>
  > {
  /** Hash of the commit; null for the folder as it stands. */
  readonly commit: string | null;
  /** Hash of the earlier commit; null for none. */
  readonly since: string | null;
  /** Files and folders in scope; null for all. */
  readonly paths: readonly string[] | null;
}

/** The request as inputs of the goal; of the model never a key, at most the name of its variable. */
export function toReviewInputs(inputs: ReviewInputs): JsonObject {
  const { repository, commit, since, roles, model, timeoutMs, paths, signOff } = inputs;
  return {
    request: {
      repository,
      commit,
      since,
      roles,
      paths,
      timeout_ms: timeoutMs,
      sign_off: signOff,
      model: asJson(model),
    },
  };
}

/** Reads back what {@link toReviewInputs} kept. */
export function readReviewInputs(reviewId: string, inputs: JsonObject): ReviewInputs {
  const request = fieldsOf(inputs['request']);
  const [repository, commit] = [request.get('repository'), request.get('commit') ?? null];
  const [since, timeoutMs] = [request.get('since') ?? null, request.get('timeout_ms')];
  const signOff = request.get('sign_off') === true;
  const [roles, paths] = [textsOf(request.get('roles')), textsOf(request.get('paths'))];
  if (
    typeof repository !== 'string' ||
    (commit !== null && typeof commit !== 'string') ||
    (since !== null && typeof since !== 'string') ||
    typeof timeoutMs !== 'number' ||
    roles === null
  ) {
    throw millforgeError(
      'millforge/usage',
      `${reviewId} is no review that was begun here; 'millforge runs' lists what is there.`,
    );
  }
  const model = modelOf(request.get('model'));
  return { repository, commit, since, timeoutMs, roles, paths, model, signOff };
}

function modelOf(value: JsonValue | undefined): ModelSetting | null {
  if (value === null || value === undefined) return null;
  const read = readModelSetting(value);
  if (read.ok) return read.setting;
  throw millforgeError(
    'millforge/document',
    `The model stored with this review cannot be read by this version of Millforge: ${read.problem}`,
  );
}

function fieldsOf(value: JsonValue | undefined): ReadonlyMap<string, JsonValue> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

function textsOf(value: JsonValue | undefined): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const texts = value.filter((one) => typeof one === 'string');
  return texts.length === value.length ? texts : null;
}

// A round trip, because interfaces without an index signature are not JSON to the type checker.
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
