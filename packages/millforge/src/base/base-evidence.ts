import type { ModelSetting } from '@millforge/cli';
import { deepFreeze, digest, type JsonObject, type JsonValue, sha256 } from '@millforge/contracts';
import { describeMillforgeBase } from '@millforge/pi-tools';
import type { AdmittedOutputs } from '@millforge/runtime';
import type { BaseComposition } from './base-composition.ts';

/** What a run of millforge-base was made of, by digests: neither text nor path nor endpoint nor secret. */
export interface BaseEvidence {
  /** Version of this document. */
  readonly schema_version: '1.2';
  /** Type of this document. */
  readonly kind: 'millforge_base_evidence';
  /** The caller's name of the request. */
  readonly request_id: string;
  /** The run; absent where none is named. */
  readonly run_id?: string;
  /** Digest of the structured results that are asked for and of their schemas; absent where there are none. */
  readonly selected_output_requirements_sha256?: string;
  /** Digest of the description of millforge-base. */
  readonly descriptor_sha256: string;
  /** Digest of the plan. */
  readonly compiled_plan_sha256: string;
  /** Model profile of the plan. */
  readonly model_profile_id: string;
  /** Digest of the profile without its id and the names of its secrets, or of the script. */
  readonly model_behavior_sha256: string;
  /** Digest of the capabilities that are granted. */
  readonly capability_envelope_sha256: string;
  /** Digest of the system prompt. */
  readonly effective_prompt_sha256: string;
  /** Digest of the instruction files as they are told. */
  readonly context_sha256: string;
  /** Number of instruction files. */
  readonly context_file_count: number;
  /** Whether an instruction file was cut or left out. */
  readonly context_truncated: boolean;
  /** Whether the system prompt was cut. */
  readonly prompt_truncated: boolean;
  /** Digest of the path of the working directory. */
  readonly cwd_sha256: string;
  /** Digest of all other fields: canonical JSON without a final line feed. */
  readonly invocation_sha256: string;
}

/** Makes the evidence of one request. */
export function baseEvidence(
  composition: BaseComposition,
  request: {
    readonly requestId: string;
    readonly runId: string | undefined;
    readonly outputs?: AdmittedOutputs;
  },
): BaseEvidence {
  const { requestId, runId, outputs } = request;
  const { instructions, prompt } = composition;
  const facts = {
    schema_version: '1.2',
    kind: 'millforge_base_evidence',
    request_id: requestId,
    ...(runId === undefined ? {} : { run_id: runId }),
    ...(outputs === undefined
      ? {}
      : { selected_output_requirements_sha256: identity(requirements(outputs)) }),
    descriptor_sha256: describeMillforgeBase().descriptor_sha256,
    compiled_plan_sha256: composition.plan.sha256,
    model_profile_id: composition.profileId,
    model_behavior_sha256: identity(behaviorOf(composition.model)),
    capability_envelope_sha256: identity({
      grants: composition.grants.map((id) => ({ capability_id: id })),
    }),
    effective_prompt_sha256: prompt.effective_prompt_sha256,
    context_sha256: instructions.context_sha256,
    context_file_count: instructions.files.length,
    context_truncated: instructions.truncated,
    prompt_truncated: prompt.truncated,
    cwd_sha256: sha256(composition.cwd),
  } as const;
  return deepFreeze({ ...facts, invocation_sha256: identity(facts) });
}

function requirements(outputs: AdmittedOutputs): JsonValue {
  return [...outputs]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([terminal_result, { required, schemaSha256 }]) => ({
      required,
      schema_sha256: schemaSha256,
      terminal_result,
    }));
}

// Whoever calls the profile otherwise, or keeps the key elsewhere, gets the same replies.
function behaviorOf(model: ModelSetting): JsonValue {
  if (model.kind === 'scripted') return asJson(model.script);
  const { profile_id: _, api_key_env: __, credential: ___, ...behavior } = model.profile;
  return asJson(behavior);
}

function identity(value: JsonValue | JsonObject): string {
  return digest(value, { newline: false });
}

// A round trip, because interfaces without an index signature are not JSON to the type checker.
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
