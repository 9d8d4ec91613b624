// Harnesses that are made, not read: a long one as a person writes it, and graphs of a given size.

const EMPTY = { type: 'object', additionalProperties: false, properties: {}, required: [] };

/** A harness of 200 lines as a person writes it, in both notations, and what it is compiled with. */
export function longHarness() {
  const lines = [...HEAD.trimEnd().split('\n'), 'graph:', '  nodes:'];
  const ids = ['open_ticket', ...Array.from({ length: 20 }, (_, index) => `read_part_${index}`)];
  ids.forEach((id, index) => lines.push(...stepLines(id, index, ids)));
  lines.push(...endLines('finish', 'REVIEW_DONE', ids.at(-1)));
  lines.push(...endLines('give_up', 'REVIEW_ABANDONED', ids[0]));
  lines.push(...TAIL.trimEnd().split('\n'));
  return {
    yaml: `${lines.join('\n')}\n`,
    tools: [...ids, 'finish', 'give_up'].map((id) => toolOf(id)),
    profile: 'bench.small',
    grants: ['ticket.read', 'terminal.intent'],
  };
}

/** The kinds of graphs that a compilation is measured on. */
export const SHAPES = ['chain', 'star', 'layered', 'dense'];

/** A harness whose graph has a shape and a number of nodes, and the number of its edges. */
export function graphHarness(shape, size) {
  const nodes = {};
  let edges = 0;
  for (let index = 0; index < size - 1; index += 1) {
    const before = BEFORE[shape](index);
    edges += before.length;
    nodes[`n${index}`] = {
      tool_ref: `bench.n${index}@1`,
      ...(index === 0 ? { required: true } : {}),
      prerequisites: before.map((other) => ({ node_id: `n${other}` })),
    };
  }
  nodes.finish = {
    tool_ref: 'bench.finish@1',
    terminal_result: 'DONE',
    prerequisites: [{ node_id: `n${size - 2}` }],
  };
  const tools = Object.keys(nodes).map((id) => toolOf(id, []));
  return { source: { ...BARE, graph: { nodes } }, tools, edges: edges + 1 };
}

const BEFORE = {
  chain: (index) => (index === 0 ? [] : [index - 1]),
  star: (index) => (index === 0 ? [] : [0]),
  layered: (index) => (index < 8 ? [] : range(8).map((at) => index - (index % 8) - 8 + at)),
  dense: (index) => range(Math.min(index, 64)).map((back) => index - 1 - back),
};

function range(count) {
  return Array.from({ length: count }, (_, index) => index);
}

function stepLines(id, index, ids) {
  const lines = [
    `    ${id}:`,
    `      tool_ref: bench.${id}@1`,
    ...(index === 0 ? ['      required: true   # every end lies behind it'] : []),
    ...(index % 3 === 1 ? ['      produces: ["part_' + index + '"]'] : []),
  ];
  if (index === 0) return lines;
  return [
    ...lines,
    '      prerequisites:',
    `        - node_id: ${ids[index - 1]}`,
    '          argument_matches:',
    '            ticket_id: ticket_id',
  ];
}

function endLines(id, result, before) {
  return [
    `    ${id}:`,
    `      tool_ref: bench.${id}@1`,
    `      terminal_result: ${result}`,
    '      prerequisites:',
    `        - node_id: ${before}`,
  ];
}

function toolOf(id, capabilities = ['ticket.read']) {
  const part = /^read_part_([0-9]+)$/.exec(id)?.[1];
  const isEnd = id === 'finish' || id === 'give_up';
  return {
    tool_id: `bench.${id}`,
    tool_version: 1,
    implementation_id: `bench.impl.${id}`,
    descriptor_sha256: 'ab'.repeat(32),
    model_tool_name: id,
    description: `Does the step ${id} of a review, and says what it found.`,
    input_schema: isEnd ? EMPTY : INPUT,
    output_schema: EMPTY,
    side_effect_class: isEnd ? 'terminal' : 'read_only',
    idempotency: 'idempotent',
    required_capabilities: isEnd && capabilities.length > 0 ? ['terminal.intent'] : capabilities,
    produced_artifact_ids: part !== undefined && part % 3 === 0 ? [`part_${Number(part) + 1}`] : [],
  };
}

const INPUT = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ticket_id: { type: 'string', description: 'Id of the ticket.' },
    query: { type: 'string', description: 'What to look for.' },
    limit: { type: 'integer', enum: [5, 10, 20] },
  },
  required: ['ticket_id', 'query'],
};

const HEAD = `# Reviews a ticket part by part.
schema_version: "1.0"
kind: millforge_harness
harness_id: bench.ticket-review.v1
harness_version: 3               # bump on any meaning change

stage_scope:
  stage_kind_ids:
    - triage
    - review
model_profile_id: bench.small

prompt:
  policy_id: bench.ticket-review.policy
  include_request_context: true
  system_instructions: |
    # How to review a ticket

    Read the ticket before you search. Quote the caller's words; write "n/a" when nothing fits.

    ## Rules

    - Call one tool at a time, and wait for its answer before you call the next one.
    - Never guess an id: every id that you use must have come out of a tool in this run.
    - *Do not* repeat a call with the same arguments; its answer will not change.
    - If a tool fails twice, go on without it & say so in the review.
    - Keep every note under 200 words; nobody reads more than that.

    ## Form

    1. What the caller wants, in one sentence.
    2. What was found, with the place where it was found: \`file:line\`.
    3. What is missing, and who can supply it.

    When all parts are read, call finish. When the ticket is not about us, call give_up.

budgets:
  max_iterations: 40
  max_validation_retries: 3
  max_tool_errors: 2
  max_prerequisite_violations: 2
  max_premature_terminal_attempts: 1

context:
  strategy_id: forge.tiered.v1
  budget_tokens: 24000
  keep_recent_iterations: 4
  phase_thresholds: [0.65, 0.8, 1]

`;

const TAIL = `
artifacts:
  declared_artifact_ids: ["part_1", "part_4", "part_7", "part_10", "part_13", "part_16", "part_19"]
  required_by_terminal:
    REVIEW_DONE: ["part_1", "part_4"]
`;

const BARE = {
  schema_version: '1.0',
  kind: 'millforge_harness',
  harness_id: 'bench.graph',
  harness_version: 1,
  stage_scope: { stage_kind_ids: ['bench'] },
  model_profile_id: 'bench.small',
  prompt: {
    policy_id: 'bench.policy',
    system_instructions: 'Do it.\n',
    include_request_context: false,
  },
  budgets: {
    max_iterations: 8,
    max_validation_retries: 2,
    max_tool_errors: 2,
    max_prerequisite_violations: 2,
    max_premature_terminal_attempts: 1,
  },
  context: {
    strategy_id: 'forge.tiered.v1',
    budget_tokens: 8000,
    keep_recent_iterations: 2,
    phase_thresholds: [0.5, 0.75, 1],
  },
  artifacts: {},
};
