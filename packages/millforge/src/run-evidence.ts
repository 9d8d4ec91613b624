import {
  digest,
  type JsonObject,
  type JsonValue,
  type RunResult,
  type TrailRecord,
} from '@millforge/contracts';

/**
 * What a run stood on, by digest: plan, model, tools, what was asked for, and the trail that tells of it.
 *
 * Whoever has the plan, the configuration and the trail can tell that they are those of this result.
 */
export function runEvidence(
  run: { readonly result: RunResult; readonly inputs: JsonObject },
  trail: { readonly count: number; readonly last: TrailRecord | null },
): JsonValue {
  const { result, inputs } = run;
  const { model, task, tools, outputs, grants } = inputs;
  return {
    kind: 'run_evidence',
    schema_version: '1.0',
    run_id: result.run_id,
    status: result.status,
    plan_sha256: result.plan_sha256,
    task_sha256: digest(task ?? null),
    model_sha256: digest(model ?? null),
    grants: grants ?? null,
    tools: tools ?? null,
    outputs_sha256: outputs === undefined ? null : digest(outputs),
    trail: {
      records: trail.count,
      last_record_sha256: trail.last?.record_sha256 ?? null,
    },
  };
}
