import { isSha256 } from '../ids/identifiers.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { type ExactJson, JsonFloat } from '../json/json-value.ts';
import { setOwn } from '../json/plain-object.ts';
import { normalizeSchema } from '../json-schema/normalize-schema.ts';
import type { JsonSchema } from '../json-schema/schema.ts';
import { IDEMPOTENCIES, SIDE_EFFECT_CLASSES } from '../tool/tool-descriptor.ts';
import type {
  ArtifactPolicy,
  CompiledHarnessPlan,
  CompilerIdentity,
  ContextPolicy,
  PlanArgumentMatch,
  PlanBudgets,
  PlanNode,
  PlanPrerequisite,
  PromptPolicy,
  TerminalArtifacts,
} from './compiled-harness-plan.ts';

/** A plan whose every field has the right form, or what is wrong with the fields. */
export type PlanFields =
  | { readonly ok: true; readonly plan: CompiledHarnessPlan }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads the fields of a plan, each by itself; nothing is coerced and no key is unknown. */
export function readPlanFields(value: ExactJson): PlanFields {
  const problems: string[] = [];
  const plan = readDocument(value, { path: '', problems });
  return plan !== undefined && problems.length === 0 ? { ok: true, plan } : { ok: false, problems };
}

interface Place {
  readonly path: string;
  readonly problems: string[];
}

/** Gives the typed value, or notes a problem and gives nothing. */
type Reader<T> = (value: ExactJson, at: Place) => T | undefined;

/** A reader for every field: a missing or a surplus one is a compile error. */
type Shape<T> = { readonly [Key in keyof T]-?: Reader<T[Key]> };

function closed<T extends object>(shape: Shape<T>): Reader<T> {
  const fields = Object.entries<Reader<unknown>>(shape);
  return (value, at) => {
    if (!isMapping(value)) return wrong(at, 'an object');
    const record: { [key: string]: unknown } = {};
    let isComplete = true;
    for (const [key, read] of fields) {
      const below = { path: `${at.path}/${key}`, problems: at.problems };
      const field = Object.hasOwn(value, key) ? value[key] : undefined;
      if (field === undefined) wrong(below, 'present');
      const typed = field === undefined ? undefined : read(field, below);
      if (typed === undefined) isComplete = false;
      else record[key] = typed;
    }
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(shape, key)) continue;
      at.problems.push(`${at.path || '/'} must not have the key ${clip(key)}.`);
      isComplete = false;
    }
    // Every key of the shape was read by its own reader.
    return isComplete ? (record as T) : undefined;
  };
}

function list<T>(item: Reader<T>, rule: { min?: number; unique?: boolean } = {}) {
  return (value: ExactJson, at: Place): readonly T[] | undefined => {
    if (!Array.isArray(value)) return wrong(at, 'a list');
    const values: readonly ExactJson[] = value;
    if (values.length < (rule.min ?? 0)) return wrong(at, `a list of at least ${rule.min}`);
    const items: T[] = [];
    values.forEach((entry, index) => {
      const typed = item(entry, { path: `${at.path}/${index}`, problems: at.problems });
      if (typed !== undefined) items.push(typed);
    });
    if (items.length < values.length) return undefined;
    if (rule.unique === true && new Set(items).size < items.length) {
      return wrong(at, 'a list without repetitions');
    }
    return items;
  };
}

function text(isRight: (text: string) => boolean, expected: string): Reader<string> {
  return (value, at) => (typeof value === 'string' && isRight(value) ? value : wrong(at, expected));
}

function integer(min: number): Reader<number> {
  return (value, at) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min
      ? value
      : wrong(at, `an integer of at least ${min}`);
}

function oneOf<const T extends string>(...words: readonly T[]): Reader<T> {
  return (value, at) =>
    words.find((word) => word === value) ??
    wrong(at, words.map((word) => `"${word}"`).join(' or '));
}

const flag: Reader<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : wrong(at, 'true or false');

const filled = text((value) => value.trim() !== '', 'text that is not blank');
const sha = text(isSha256, 'a SHA-256 digest in lower-case hex');
const ids = list(filled, { unique: true });

const thresholds: Reader<readonly [number, number, number]> = (value, at) => {
  const numbers = Array.isArray(value) ? value.map(floatOf) : [];
  const [first, second, third] = numbers;
  const isRight =
    numbers.length === 3 &&
    first !== undefined &&
    second !== undefined &&
    third !== undefined &&
    0 < first &&
    first <= second &&
    second <= third &&
    third <= 1;
  return isRight
    ? [first, second, third]
    : wrong(at, 'three floats above 0 and up to 1, none smaller than the one before');
};

function floatOf(value: ExactJson): number {
  if (value instanceof JsonFloat) return value.value;
  return typeof value === 'number' && !Number.isInteger(value) ? value : Number.NaN;
}

const inputSchema: Reader<JsonSchema> = (value, at) => {
  const normal = normalizeSchema(value, at.path);
  if (!normal.ok) {
    at.problems.push(`${normal.message}.`.replace(/\.\.$/, '.'));
    return undefined;
  }
  // The plan is the document: a schema that normalising changes is not the one that was hashed.
  return canonicalJson(normal.value as object as ExactJson) === canonicalJson(value)
    ? normal.value
    : wrong(at, 'a schema in normal form');
};

const terminalMap: Reader<Readonly<Record<string, string>>> = (value, at) => {
  if (!isMapping(value)) return wrong(at, 'an object');
  const map: { [nodeId: string]: string } = {};
  for (const [nodeId, result] of Object.entries(value)) {
    const typed = filled(result, { path: `${at.path}/${clip(nodeId)}`, problems: at.problems });
    if (typed !== undefined) setOwn(map, nodeId, typed);
  }
  const results = Object.values(map);
  return new Set(results).size === results.length
    ? map
    : wrong(at, 'an object that names each result once');
};

const readNode = closed<PlanNode>({
  node_id: filled,
  model_tool_name: filled,
  description: filled,
  input_schema: inputSchema,
  binding: closed({
    tool_id: filled,
    tool_version: integer(1),
    descriptor_sha256: sha,
    implementation_id: filled,
  }),
  prerequisites: list(
    closed<PlanPrerequisite>({
      node_id: filled,
      argument_matches: list(
        closed<PlanArgumentMatch>({ prerequisite_argument: filled, current_argument: filled }),
      ),
    }),
  ),
  required: flag,
  terminal_result: (value, at) => (value === null ? null : filled(value, at)),
  required_capabilities: ids,
  produced_artifact_ids: ids,
  side_effect_class: oneOf(...SIDE_EFFECT_CLASSES),
  idempotency: oneOf(...IDEMPOTENCIES),
});

const readDocument = closed<CompiledHarnessPlan>({
  schema_version: oneOf('1.0'),
  kind: oneOf('compiled_millforge_harness'),
  harness_id: filled,
  harness_version: integer(1),
  source_sha256: sha,
  compiled_sha256: sha,
  stage_kind_ids: ids,
  model_profile: closed({ profile_id: filled }),
  prompt_policy: closed<PromptPolicy>({
    policy_id: filled,
    system_instructions: filled,
    include_request_context: flag,
  }),
  budgets: closed<PlanBudgets>({
    max_iterations: integer(1),
    max_validation_retries: integer(1),
    max_tool_errors: integer(1),
    max_prerequisite_violations: integer(1),
    max_premature_terminal_attempts: integer(1),
  }),
  context_policy: closed<ContextPolicy>({
    strategy_id: oneOf('forge.tiered.v1'),
    budget_tokens: integer(1),
    keep_recent_iterations: integer(0),
    phase_thresholds: thresholds,
  }),
  nodes: list(readNode, { min: 1 }),
  required_capabilities: ids,
  terminal_result_map: terminalMap,
  artifact_policy: closed<ArtifactPolicy>({
    declared_artifact_ids: ids,
    required_by_terminal: list(
      closed<TerminalArtifacts>({ terminal_result: filled, artifact_ids: ids }),
    ),
  }),
  compiler_identity: closed<CompilerIdentity>({ name: filled, version: filled, build_id: filled }),
});

function wrong(at: Place, expected: string): undefined {
  at.problems.push(`${at.path || '/'} must be ${expected}.`);
  return undefined;
}

function isMapping(value: ExactJson): value is { readonly [key: string]: ExactJson } {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonFloat)
  );
}

function clip(key: string): string {
  const quoted = canonicalJson(key, { newline: false });
  return quoted.length > 64 ? `${quoted.slice(0, 64)}…` : quoted;
}
