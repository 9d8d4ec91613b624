import {
  type ContextPolicy,
  DISPOSITIONS,
  isArgumentName,
  isArtifactId,
  isDottedId,
  isModelToolName,
  isNodeId,
  isTerminalResult,
  JsonFloat,
  type ObservedLimits,
  type PlanBudgets,
  type PromptPolicy,
  parseToolReference,
  type TerminalArtifacts,
} from '@millforge/contracts';
import {
  closed,
  type DocumentPlace,
  flag,
  idList,
  integer,
  isList,
  isMapping,
  literal,
  noteFault,
  oneOf,
  optional,
  type Reader,
  records,
  refuse,
  refuseKind,
  type TextRule,
  text,
} from '../document-readers.ts';
import type {
  HarnessAlternatives,
  HarnessArgumentMatch,
  HarnessArtifacts,
  HarnessCallBounds,
  HarnessGraph,
  HarnessNode,
  HarnessPrerequisite,
  HarnessSource,
  StageScope,
} from '../harness-source.ts';
import { readCapabilityConstraints } from './constraint-shape.ts';

const DOTTED_ID: TextRule = {
  isRight: isDottedId,
  expected: 'a dotted id, such as docs.notes.search',
};
const NODE_ID: TextRule = { isRight: isNodeId, expected: 'a node id, such as open_ticket' };
const ARTIFACT_ID: TextRule = {
  isRight: isArtifactId,
  expected: 'an artifact id, such as score_card',
};
const TERMINAL_RESULT: TextRule = {
  isRight: isTerminalResult,
  expected: 'a terminal result, such as TASK_DONE',
};
const ARGUMENT_NAME: TextRule = { isRight: isArgumentName, expected: 'an argument name' };
const MODEL_TOOL_NAME: TextRule = {
  isRight: isModelToolName,
  expected: '1 to 64 of A-Z a-z 0-9 _ -',
};
const TOOL_REFERENCE: TextRule = {
  isRight: (ref) => parseToolReference(ref) !== null,
  expected: 'a tool at an exact version, such as docs.notes.search@3',
};
const INSTRUCTIONS: TextRule = {
  isRight: (value) =>
    value.trim() !== '' && new TextEncoder().encode(value).length <= MAX_INSTRUCTION_BYTES,
  expected: 'text that is not blank, of at most 65,536 bytes',
};

const MAX_VERSION = 2_147_483_647;
const MAX_INSTRUCTION_BYTES = 65_536;
const MAX_NODES = 512;
const MAX_TERMINALS = 64;
const MAX_CALLS = 10_000;

/** A reader for every field of a document. */
type Shape<T> = { readonly [Key in keyof T]-?: Reader<Exclude<T[Key], undefined>> };

const thresholds: Reader<readonly [number, number, number]> = (value, at) => {
  const numbers = isList(value) ? value.map(numberOf) : [];
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
    : refuse(at, 'three numbers above 0 and up to 1, none smaller than the one before');
};

function numberOf(value: unknown): number {
  if (value instanceof JsonFloat) return value.value;
  return typeof value === 'number' ? value : Number.NaN;
}

const matchRecord = closed<HarnessArgumentMatch>({
  prior_argument: text(ARGUMENT_NAME),
  current_argument: text(ARGUMENT_NAME),
});

const matchRecords = records(matchRecord, (matches, at) => {
  const isOneToOne =
    new Set(matches.map((match) => match.prior_argument)).size === matches.length &&
    new Set(matches.map((match) => match.current_argument)).size === matches.length;
  const isRight = matches.length <= 32 && isOneToOne;
  if (!isRight) refuse(at, 'at most 32 matches that name each argument once');
  return isRight;
});

const argumentMatches = listed(matchRecords, (prior, current) => ({
  prior_argument: prior,
  current_argument: current,
}));

const prerequisite = closed<HarnessPrerequisite>({
  node_id: text(NODE_ID),
  argument_matches: optional(argumentMatches, []),
});

const alternatives = closed<HarnessAlternatives>({
  any_of: records(prerequisite, (items, at) => {
    const isRight = items.length >= 2 && items.length <= 16;
    if (!isRight) refuse(at, '2 to 16 alternatives');
    return isRight;
  }),
});

/** What a field is for, and what to write for it, where a document of version 1.0 has it. */
function laterFields(...names: readonly string[]): { readonly [name: string]: string } {
  return Object.fromEntries(
    names.map((name) => [name, `Write schema_version: "1.1" to use ${name}.`]),
  );
}

const prerequisiteOfV10 = closed<HarnessPrerequisite>(
  { node_id: text(NODE_ID), argument_matches: optional(argumentMatches, []) },
  { advice: laterFields('any_of') },
);

function prerequisites<T>(read: Reader<T>): Reader<readonly T[]> {
  return records(read, (items, at) => {
    if (items.length > 64) refuse(at, 'at most 64 prerequisites');
    return items.length <= 64;
  });
}

type AddedToNode = 'model_tool_name' | 'required_for' | 'calls' | 'disposition';

const nodeShape: Shape<Omit<HarnessNode, AddedToNode>> = {
  node_id: text(NODE_ID),
  tool_ref: text(TOOL_REFERENCE),
  required: optional(flag, false),
  prerequisites: optional(
    prerequisites((value, at) => {
      // The id that such an entry lacks is not what is wrong with it.
      const isLater = isMapping(value) && 'any_of' in value && !('node_id' in value);
      return prerequisiteOfV10(isLater ? { node_id: 'any_of', ...value } : value, at);
    }),
    [],
  ),
  terminal_result: optional(
    (value, at) => (value === null ? null : text(TERMINAL_RESULT)(value, at)),
    null,
  ),
  produces: optional(idList(ARTIFACT_ID), []),
};

const nodeOfV10 = closed<Omit<HarnessNode, AddedToNode>>(nodeShape, {
  advice: laterFields('model_tool_name', 'required_for', 'calls', 'disposition'),
});

const callFields = closed<HarnessCallBounds>(
  { min: integer(1, MAX_CALLS), max: integer(1, MAX_CALLS) },
  { mayLack: ['min', 'max'] },
);

const calls: Reader<HarnessCallBounds> = (value, at) => {
  const bounds = callFields(value, at);
  const isRight = bounds?.max === undefined || bounds.max >= (bounds.min ?? 1);
  return isRight ? bounds : refuse(at, 'a min that is not above max');
};

const nodeFieldsOfV11 = closed<HarnessNode>(
  {
    ...nodeShape,
    prerequisites: optional(
      prerequisites<HarnessPrerequisite | HarnessAlternatives>((value, at) =>
        isMapping(value) && 'any_of' in value ? alternatives(value, at) : prerequisite(value, at),
      ),
      [],
    ),
    model_tool_name: text(MODEL_TOOL_NAME),
    required_for: idList(TERMINAL_RESULT, { max: MAX_TERMINALS }),
    calls,
    disposition: oneOf(DISPOSITIONS),
  },
  { mayLack: ['model_tool_name', 'required_for', 'calls', 'disposition'] },
);

const nodeOfV11: Reader<HarnessNode> = (value, at) => {
  const read = nodeFieldsOfV11(value, at);
  if (read?.required !== true || (read.required_for ?? []).length === 0) return read;
  const advice = 'Keep required for every terminal, or required_for for some of them.';
  noteFault({ ...at, path: [...at.path, 'required'] }, 'false beside required_for', { advice });
  return undefined;
};

function areNodesRight(nodes: readonly HarnessNode[], at: DocumentPlace): boolean {
  const terminals = nodes.filter((node) => node.terminal_result !== null).length;
  const isCountRight = nodes.length >= 1 && nodes.length <= MAX_NODES && terminals <= MAX_TERMINALS;
  if (!isCountRight) {
    refuse(at, `1 to ${MAX_NODES} nodes, of which at most ${MAX_TERMINALS} are terminal`);
    return false;
  }
  const isUnique = new Set(nodes.map((node) => node.node_id)).size === nodes.length;
  if (!isUnique) noteFault(at, 'nodes with distinct node ids', { isIdentifier: true });
  return isUnique;
}

function graph(read: Reader<HarnessNode>): Reader<HarnessGraph> {
  const nodes = listed(records(read, areNodesRight), (nodeId, body) => ({
    ...(isMapping(body) ? body : {}),
    node_id: nodeId,
  }));
  const readGraph = closed<HarnessGraph>({ nodes });
  return (value, at) => {
    const written = isMapping(value) && Object.hasOwn(value, 'nodes') ? value['nodes'] : undefined;
    // The key is the id; a second one in the body leaves open which of them prerequisites mean.
    const isAmbiguous =
      isMapping(written) &&
      Object.values(written).some((body) => isMapping(body) && Object.hasOwn(body, 'node_id'));
    return isAmbiguous ? refuse(at, 'nodes without node_id under keys') : readGraph(value, at);
  };
}

const terminalArtifacts = listed(
  records(
    closed<TerminalArtifacts>({
      terminal_result: text(TERMINAL_RESULT),
      artifact_ids: idList(ARTIFACT_ID, { min: 1, max: 512 }),
    }),
    (policies, at) => {
      const results = new Set(policies.map((policy) => policy.terminal_result));
      const isRight = policies.length <= 64 && results.size === policies.length;
      if (!isRight) refuse(at, 'at most 64 terminal results, each of them once');
      return isRight;
    },
  ),
  (result, ids) => ({ terminal_result: result, artifact_ids: ids }),
);

/** Lets a list be written as a mapping too: each entry becomes one record, in written order. */
function listed<T>(read: Reader<T>, toRecord: (key: string, value: unknown) => unknown): Reader<T> {
  return (value, at) =>
    isMapping(value)
      ? read(
          at.keysOf(value).map((key) => toRecord(key, value[key])),
          at,
        )
      : read(value, at);
}

const budgets: Shape<Omit<PlanBudgets, 'observed_limits'>> = {
  max_iterations: integer(1, 256),
  max_validation_retries: integer(1, 64),
  max_tool_errors: integer(1, 64),
  max_prerequisite_violations: integer(1, 64),
  max_premature_terminal_attempts: integer(1, 64),
};

const limit = integer(1, Number.MAX_SAFE_INTEGER);

const observedLimits = closed<ObservedLimits>(
  {
    input_tokens: limit,
    output_tokens: limit,
    cost_micros: limit,
    tool_calls: limit,
    wall_ms: limit,
  },
  { mayLack: ['input_tokens', 'output_tokens', 'cost_micros', 'tool_calls', 'wall_ms'] },
);

const version: Reader<HarnessSource['schema_version']> = (value, at) => {
  if (typeof value !== 'string') return refuseKind(at, 'the text "1.0" or "1.1" in quotes', value);
  return VERSIONS.find((known) => known === value) ?? refuse(at, 'the text "1.0" or "1.1"');
};

const harness: Shape<Omit<HarnessSource, 'capability_constraints'>> = {
  schema_version: version,
  kind: literal('millforge_harness'),
  harness_id: text(DOTTED_ID),
  harness_version: integer(1, MAX_VERSION),
  stage_scope: closed<StageScope>({ stage_kind_ids: idList(DOTTED_ID, { min: 1, max: 64 }) }),
  model_profile_id: text(DOTTED_ID),
  prompt: closed<PromptPolicy>({
    policy_id: text(DOTTED_ID),
    system_instructions: text(INSTRUCTIONS),
    include_request_context: flag,
  }),
  budgets: closed<Omit<PlanBudgets, 'observed_limits'>>(budgets, {
    advice: laterFields('observed_limits'),
  }),
  context: closed<ContextPolicy>({
    strategy_id: literal('forge.tiered.v1'),
    budget_tokens: integer(256, 1_000_000),
    keep_recent_iterations: integer(0, 64),
    phase_thresholds: thresholds,
  }),
  graph: graph(nodeOfV10),
  artifacts: closed<HarnessArtifacts>({
    declared_artifact_ids: optional(idList(ARTIFACT_ID, { max: 512 }), []),
    required_by_terminal: optional(terminalArtifacts, []),
  }),
};

const readV10 = closed<Omit<HarnessSource, 'capability_constraints'>>(harness, {
  advice: laterFields('capability_constraints'),
});

const readV11 = closed<HarnessSource>(
  {
    ...harness,
    budgets: closed<PlanBudgets>(
      { ...budgets, observed_limits: observedLimits },
      { mayLack: ['observed_limits'] },
    ),
    graph: graph(nodeOfV11),
    capability_constraints: listed(readCapabilityConstraints, (capability, constraints) => ({
      capability_id: capability,
      constraints,
    })),
  },
  { mayLack: ['capability_constraints'] },
);

/** Reads the fields of a harness, each by itself; a document of an unknown version as the newest one. */
export const readHarnessShape: Reader<HarnessSource> = (value, at) =>
  isMapping(value) && value['schema_version'] === '1.0' ? readV10(value, at) : readV11(value, at);

const VERSIONS = ['1.0', '1.1'] as const;
