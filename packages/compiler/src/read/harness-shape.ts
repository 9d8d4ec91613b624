import {
  type ContextPolicy,
  isArgumentName,
  isArtifactId,
  isDottedId,
  isNodeId,
  isTerminalResult,
  JsonFloat,
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
  optional,
  type Reader,
  records,
  refuse,
  type TextRule,
  text,
} from '../document-readers.ts';
import type {
  HarnessArgumentMatch,
  HarnessArtifacts,
  HarnessGraph,
  HarnessNode,
  HarnessPrerequisite,
  HarnessSource,
  StageScope,
} from '../harness-source.ts';

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

const prerequisites = records(
  closed<HarnessPrerequisite>({
    node_id: text(NODE_ID),
    argument_matches: optional(argumentMatches, []),
  }),
  (items, at) => {
    if (items.length > 64) refuse(at, 'at most 64 prerequisites');
    return items.length <= 64;
  },
);

const nodeRecords = records(
  closed<HarnessNode>({
    node_id: text(NODE_ID),
    tool_ref: text(TOOL_REFERENCE),
    required: optional(flag, false),
    prerequisites: optional(prerequisites, []),
    terminal_result: optional(
      (value, at) => (value === null ? null : text(TERMINAL_RESULT)(value, at)),
      null,
    ),
    produces: optional(idList(ARTIFACT_ID), []),
  }),
  areNodesRight,
);

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

const nodes = listed(nodeRecords, (nodeId, body) => ({
  ...(isMapping(body) ? body : {}),
  node_id: nodeId,
}));

const readGraph = closed<HarnessGraph>({ nodes });

const graph: Reader<HarnessGraph> = (value, at) => {
  const written = isMapping(value) && Object.hasOwn(value, 'nodes') ? value['nodes'] : undefined;
  // The key is the id; a second one in the body leaves open which of them prerequisites mean.
  const isAmbiguous =
    isMapping(written) &&
    Object.values(written).some((body) => isMapping(body) && Object.hasOwn(body, 'node_id'));
  return isAmbiguous ? refuse(at, 'nodes without node_id under keys') : readGraph(value, at);
};

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

/** Reads the fields of a harness, each by itself. */
export const readHarnessShape: Reader<HarnessSource> = closed<HarnessSource>({
  schema_version: literal('1.0'),
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
  budgets: closed<PlanBudgets>({
    max_iterations: integer(1, 256),
    max_validation_retries: integer(1, 64),
    max_tool_errors: integer(1, 64),
    max_prerequisite_violations: integer(1, 64),
    max_premature_terminal_attempts: integer(1, 64),
  }),
  context: closed<ContextPolicy>({
    strategy_id: literal('forge.tiered.v1'),
    budget_tokens: integer(256, 1_000_000),
    keep_recent_iterations: integer(0, 64),
    phase_thresholds: thresholds,
  }),
  graph,
  artifacts: closed<HarnessArtifacts>({
    declared_artifact_ids: optional(idList(ARTIFACT_ID, { max: 512 }), []),
    required_by_terminal: optional(terminalArtifacts, []),
  }),
});
