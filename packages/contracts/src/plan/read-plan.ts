import { canonicalJson } from '../json/canonical-json.ts';
import { digest } from '../json/digest.ts';
import { exceedsUtf8 } from '../json/exceeds-utf8.ts';
import { deepFreeze } from '../json/freeze.ts';
import type { ExactJson } from '../json/json-value.ts';
import { readJson } from '../json/read-json.ts';
import type { CompiledHarnessPlan } from './compiled-harness-plan.ts';
import { findPlanConflicts } from './find-plan-conflicts.ts';
import { readPlanFields } from './read-plan-fields.ts';

/** What the holder of a reference knows about the plan it names. */
export interface PlanExpectation {
  /** The plan's own digest. */
  readonly sha256?: string;
  /** Id of the harness. */
  readonly harnessId?: string;
  /** Version of the harness. */
  readonly harnessVersion?: number;
}

/** A verified plan, or everything that speaks against it. */
export type ReadPlanResult =
  | {
      /** The plan is what it says it is, and what was expected. */
      readonly ok: true;
      /** The plan, frozen to its leaves. */
      readonly plan: CompiledHarnessPlan;
      /** The plan's own digest; equal to `plan.compiled_sha256`. */
      readonly sha256: string;
    }
  | {
      /** The plan was refused. */
      readonly ok: false;
      /** One sentence each, at most 33. */
      readonly problems: readonly string[];
      /** The digest of what was read, or null when it is no plan at all. */
      readonly computedSha256: string | null;
    };

/** Bytes that the file of a plan may have. */
export const MAX_PLAN_BYTES = 1_048_576;

/**
 * Reads the file of a plan and verifies it: form, invariants, digest, and what was expected of it.
 *
 * Coerces nothing, knows versions 1.0 and 1.1, refuses unknown and duplicate keys and more than 1 MiB.
 * Key order and white space do not matter; a number of the wrong kind (`1` for `1.0`) does. Never throws.
 */
export function readPlan(
  bytes: Uint8Array | string,
  expected: PlanExpectation = {},
): ReadPlanResult {
  const text = decode(bytes);
  if (text === null) return refuse(['The plan is not UTF-8 text of at most 1 MiB.']);
  const parsed = readJson(text, { allowControlCharacters: true });
  if (!parsed.ok) {
    return refuse([`The plan is not JSON: ${parsed.message} (character ${parsed.offset + 1})`]);
  }
  const read = readPlanFields(parsed.value);
  const problems = read.ok ? findPlanConflicts(read.plan) : read.problems;
  if (!read.ok || problems.length > 0) return refuse(problems);
  const computed = digestOf(parsed.value);
  const mismatches = compare(read.plan, computed, expected);
  if (mismatches.length > 0) return { ok: false, problems: mismatches, computedSha256: computed };
  return { ok: true, plan: deepFreeze(read.plan), sha256: computed };
}

function decode(bytes: Uint8Array | string): string | null {
  if (typeof bytes === 'string') {
    return exceedsUtf8(bytes, MAX_PLAN_BYTES) ? null : bytes;
  }
  if (bytes.length > MAX_PLAN_BYTES) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function digestOf(plan: ExactJson): string {
  // The text that was read is hashed, not the typed plan: only it still shows every number's kind.
  return digest(
    Object.fromEntries(Object.entries(plan ?? {}).filter(([key]) => key !== 'compiled_sha256')),
  );
}

function compare(
  plan: CompiledHarnessPlan,
  computed: string,
  expected: PlanExpectation,
): readonly string[] {
  const problems: string[] = [];
  if (computed !== plan.compiled_sha256) {
    problems.push(`The plan says its digest is ${plan.compiled_sha256}, but it is ${computed}.`);
  }
  if (expected.sha256 !== undefined && computed !== expected.sha256) {
    problems.push(`The digest of the plan is ${computed}; expected ${clip(expected.sha256)}.`);
  }
  if (expected.harnessId !== undefined && plan.harness_id !== expected.harnessId) {
    problems.push(
      `The plan is of harness ${clip(plan.harness_id)}; expected ${clip(expected.harnessId)}.`,
    );
  }
  if (expected.harnessVersion !== undefined && plan.harness_version !== expected.harnessVersion) {
    problems.push(
      `The plan is of harness version ${plan.harness_version}; expected ${expected.harnessVersion}.`,
    );
  }
  return problems;
}

function refuse(problems: readonly string[]): ReadPlanResult {
  const kept = problems.slice(0, MAX_PROBLEMS);
  const rest = problems.length - kept.length;
  return {
    ok: false,
    problems: rest === 0 ? kept : [...kept, `There are ${rest} more problems.`],
    computedSha256: null,
  };
}

function clip(text: string): string {
  const quoted = canonicalJson(text, { newline: false });
  return quoted.length > 200 ? `${quoted.slice(0, 200)}…` : quoted;
}

const MAX_PROBLEMS = 32;
