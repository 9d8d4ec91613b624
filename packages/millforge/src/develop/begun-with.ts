import { realpath } from 'node:fs/promises';
import type { DevelopRequest, ModelSetting } from '@millforge/cli';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import type { GoalView } from '@millforge/kernel';
import { millforgeError } from '../millforge-error.ts';
import { modelDigest } from '../model-setting.ts';

/** What a development is begun with besides its contract; kept with the goal, to be compared later. */
export async function begunWith(request: DevelopRequest): Promise<JsonObject> {
  const { candidate, checks, model, shell } = request;
  return {
    kind: 'develop_request',
    schema_version: '1.0',
    folder: await realpath(candidate),
    checks: checks === undefined ? null : await realpath(checks),
    model: modelName(model),
    model_sha256: modelDigest(model),
    shell: shell === true,
  };
}

/**
 * Refuses to go on with other options than those that a development was begun with, which its phases are bound to.
 *
 * @throws `millforge/usage` naming each option that differs, and how to begin anew.
 */
export function assertBegunWith(goal: Pick<GoalView, 'goal_id' | 'inputs'>, now: JsonObject): void {
  const kept = goal.inputs['host'];
  // What was kept by somebody else's host says nothing.
  const before = new Map(typeof kept === 'object' && kept !== null ? Object.entries(kept) : []);
  if (before.get('kind') !== now['kind']) return;
  const differing = ['folder', 'checks', 'model', 'shell']
    .filter((name) => before.get(name) !== now[name])
    .map((name) => `${name} ${told(before.get(name))}, now ${told(now[name])}`);
  if (differing.length === 0 && before.get('model_sha256') !== now['model_sha256']) {
    differing.push(`model ${told(before.get('model'))}, now with other settings`);
  }
  if (differing.length === 0) return;
  throw millforgeError(
    'millforge/usage',
    `The development ${goal.goal_id} was begun with ${differing.join('; ')}. Give what it was begun with to go on, or begin anew with another goal_id in the contract.`,
  );
}

function modelName(model: ModelSetting): string {
  if (model.kind === 'scripted') return 'replies that were written beforehand';
  return `${model.profile.base_url}#${model.profile.model}`;
}

function told(value: JsonValue | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : 'none';
}
