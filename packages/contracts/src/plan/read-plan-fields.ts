import { isSha256 } from '../ids/identifiers.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { type ExactJson, JsonFloat } from '../json/json-value.ts';
import { setOwn } from '../json/plain-object.ts';
import { normalizeSchema } from '../json-schema/normalize-schema.ts';
import type { JsonSchema } from '../json-schema/schema.ts';
import { IDEMPOTENCIES, SIDE_EFFECT_CLASSES } from '../tool/tool-descriptor.ts';
import { DISPOSITIONS } from '../trail/run-outcome.ts';
import {
  type CapabilityConstraints,
  CONSTRAINT_LISTS,
  MAX_CONSTRAINT_ENTRIES,
  type PlanCapabilityConstraint,
} from './capability-constraints.ts';
import type {
  ArtifactPolicy,
  CompiledHarnessPlan,
  CompilerIdentity,
  ContextPolicy,
  ObservedLimits,
  PlanAlternatives,
  PlanArgumentMatch,
  PlanBudgets,
  PlanCallBounds,
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
  const at: Place = { above: null, step: '', problems };
  const version = isMapping(value) ? value['schema_version'] : undefined;
  // What a document of another version means by a field is not known, so nothing else is said of it.
  const isKnown = version === undefined || version === '1.0' || version === '1.1';
  if (!isKnown) planVersion(version, below(at, 'schema_version'));
  const plan = !isKnown ? undefined : version === '1.1' ? readV11(value, at) : readV10(value, at);
  return plan !== undefined && problems.length === 0 ? { ok: true, plan } : { ok: false, problems };
}

/** Where a value stands. Only a problem asks for its path, so that none is written for the rest. */
interface Place {
  readonly above: Place | null;
  readonly step: string | number;
  readonly problems: string[];
}

function below(above: Place, step: string | number): Place {
  return { above, step, problems: above.problems };
}

function pathOf({ above, step }: Place): string {
  return above === null ? '' : `${pathOf(above)}/${step}`;
}

/** Gives the typed value, or notes a problem and gives nothing. */
type Reader<T> = (value: ExactJson, at: Place) => T | undefined;

/** A reader for every field: a missing or a surplus one is a compile error. */
type Shape<T> = { readonly [Key in keyof T]-?: Reader<Exclude<T[Key], undefined>> };

function closed<T extends object>(
  shape: Shape<T>,
  form: { readonly mayLack?: readonly (keyof T & string)[] } = {},
): Reader<T> {
  const fields = Object.entries<Reader<unknown>>(shape);
  const mayLack: ReadonlySet<string> = new Set(form.mayLack);
  return (value, at) => {
    if (!isMapping(value)) return wrong(at, 'an object');
    const record: { [key: string]: unknown } = {};
    let isComplete = true;
    let known = 0;
    for (const [key, read] of fields) {
      const field = Object.hasOwn(value, key) ? value[key] : undefined;
      if (field !== undefined) known += 1;
      else if (mayLack.has(key)) continue;
      const place = below(at, key);
      const typed = field === undefined ? wrong(place, 'present') : read(field, place);
      if (typed === undefined) isComplete = false;
      else record[key] = typed;
    }
    const keys = Object.keys(value);
    for (const key of keys.length > known ? keys : []) {
      if (Object.hasOwn(shape, key)) continue;
      at.problems.push(`${pathOf(at) || '/'} must not have the key ${clip(key)}.`);
      isComplete = false;
    }
    // Every key of the shape was read by its own reader.
    return isComplete ? (record as T) : undefined;
  };
}

function list<T>(item: Reader<T>, rule: { min?: number; max?: number; unique?: boolean } = {}) {
  return (value: ExactJson, at: Place): readonly T[] | undefined => {
    if (!Array.isArray(value)) return wrong(at, 'a list');
    const values: readonly ExactJson[] = value;
    if (values.length < (rule.min ?? 0)) return wrong(at, `a list of at least ${rule.min}`);
    if (values.length > (rule.max ?? Number.POSITIVE_INFINITY)) {
      return wrong(at, `a list of at most ${rule.max}`);
    }
    const items: T[] = [];
    for (const [index, entry] of values.entries()) {
      const typed = item(entry, below(at, index));
      if (typed !== undefined) items.push(typed);
    }
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

function inputSchema(version: '1.0' | '1.1'): Reader<JsonSchema> {
  return (value, at) => {
    const normal = normalizeSchema(value, pathOf(at), { version });
    if (!normal.ok) {
      at.problems.push(`${normal.message}.`.replace(/\.\.$/, '.'));
      return undefined;
    }
    // The plan is the document: a schema that normalising changes is not the one that was hashed.
    return Object.is(normal.value, value) ||
      canonicalJson(normal.value as object as ExactJson) === canonicalJson(value)
      ? normal.value
      : wrong(at, 'a schema in normal form');
  };
}

const terminalMap: Reader<Readonly<Record<string, string>>> = (value, at) => {
  if (!isMapping(value)) return wrong(at, 'an object');
  const map: { [nodeId: string]: string } = {};
  for (const [nodeId, result] of Object.entries(value)) {
    const typed = filled(result, below(at, clip(nodeId)));
    if (typed !== undefined) setOwn(map, nodeId, typed);
  }
  const results = Object.values(map);
  return new Set(results).size === results.length
    ? map
    : wrong(at, 'an object that names each result once');
};

const plainPrerequisite = closed<PlanPrerequisite>({
  node_id: filled,
  argument_matches: list(
    closed<PlanArgumentMatch>({ prerequisite_argument: filled, current_argument: filled }),
  ),
});

const alternatives = closed<PlanAlternatives>({
  any_of: list(plainPrerequisite, { min: 2, max: 16 }),
});

const prerequisite: Reader<PlanPrerequisite | PlanAlternatives> = (value, at) =>
  isMapping(value) && Object.hasOwn(value, 'any_of')
    ? alternatives(value, at)
    : plainPrerequisite(value, at);

type AddedToNode = 'required_for' | 'calls' | 'disposition';

const node: Shape<Omit<PlanNode, AddedToNode>> = {
  node_id: filled,
  model_tool_name: filled,
  description: filled,
  input_schema: inputSchema('1.0'),
  binding: closed({
    tool_id: filled,
    tool_version: integer(1),
    descriptor_sha256: sha,
    implementation_id: filled,
  }),
  prerequisites: list(plainPrerequisite),
  required: flag,
  terminal_result: (value, at) => (value === null ? null : filled(value, at)),
  required_capabilities: ids,
  produced_artifact_ids: ids,
  side_effect_class: oneOf(...SIDE_EFFECT_CLASSES),
  idempotency: oneOf(...IDEMPOTENCIES),
};

const nodeOfV11: Shape<PlanNode> = {
  ...node,
  input_schema: inputSchema('1.1'),
  prerequisites: list(prerequisite),
  required_for: ids,
  calls: closed<PlanCallBounds>({
    min: integer(1),
    max: (value, at) => (value === null ? null : integer(1)(value, at)),
  }),
  disposition: (value, at) => (value === null ? null : oneOf(...DISPOSITIONS)(value, at)),
};

const budgets: Shape<Omit<PlanBudgets, 'observed_limits'>> = {
  max_iterations: integer(1),
  max_validation_retries: integer(1),
  max_tool_errors: integer(1),
  max_prerequisite_violations: integer(1),
  max_premature_terminal_attempts: integer(1),
};

const observedLimits = closed<ObservedLimits>(
  {
    input_tokens: integer(1),
    output_tokens: integer(1),
    cost_micros: integer(1),
    tool_calls: integer(1),
    wall_ms: integer(1),
  },
  { mayLack: ['input_tokens', 'output_tokens', 'cost_micros', 'tool_calls', 'wall_ms'] },
);

function constraintList(name: 'paths' | 'hosts' | 'commands'): Reader<readonly string[]> {
  const rule = CONSTRAINT_LISTS.find((one) => one.name === name);
  const entry = text((value) => rule?.isRight(value) === true, rule?.expected ?? name);
  return list(entry, { min: 1, max: MAX_CONSTRAINT_ENTRIES, unique: true });
}

const constraintFields = closed<CapabilityConstraints>(
  {
    paths: constraintList('paths'),
    hosts: constraintList('hosts'),
    commands: constraintList('commands'),
    max_bytes: integer(1),
  },
  { mayLack: ['paths', 'hosts', 'commands', 'max_bytes'] },
);

const constraints: Reader<CapabilityConstraints> = (value, at) => {
  const fields = constraintFields(value, at);
  return fields === undefined || Object.keys(fields).length > 0
    ? fields
    : wrong(at, 'an object with at least one of paths, hosts, commands, max_bytes');
};

const planVersion = oneOf('1.0', '1.1');

type AddedToPlan = 'capability_constraints';

const document: Shape<Omit<CompiledHarnessPlan, AddedToPlan>> = {
  schema_version: planVersion,
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
  budgets: closed<Omit<PlanBudgets, 'observed_limits'>>(budgets),
  context_policy: closed<ContextPolicy>({
    strategy_id: oneOf('forge.tiered.v1'),
    budget_tokens: integer(1),
    keep_recent_iterations: integer(0),
    phase_thresholds: thresholds,
  }),
  nodes: list(closed<Omit<PlanNode, AddedToNode>>(node), { min: 1 }),
  required_capabilities: ids,
  terminal_result_map: terminalMap,
  artifact_policy: closed<ArtifactPolicy>({
    declared_artifact_ids: ids,
    required_by_terminal: list(
      closed<TerminalArtifacts>({ terminal_result: filled, artifact_ids: ids }),
    ),
  }),
  compiler_identity: closed<CompilerIdentity>({ name: filled, version: filled, build_id: filled }),
};

const readV10 = closed<Omit<CompiledHarnessPlan, AddedToPlan>>(document);

const readV11 = closed<CompiledHarnessPlan>({
  ...document,
  budgets: closed<PlanBudgets>({ ...budgets, observed_limits: observedLimits }),
  nodes: list(closed<PlanNode>(nodeOfV11), { min: 1 }),
  capability_constraints: list(
    closed<PlanCapabilityConstraint>({ capability_id: filled, constraints }),
  ),
});

function wrong(at: Place, expected: string): undefined {
  at.problems.push(`${pathOf(at) || '/'} must be ${expected}.`);
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
