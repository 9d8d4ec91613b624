// The harness language as JSON Schema, for editors.
//   pnpm run schema     write packages/compiler/harness.schema.json anew
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A JSON Schema. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** The schema of the harness language; what it says about each field is the comment of its type. */
export function harnessSchema(): Schema {
  const say = describer();
  const fields = (type: string, properties: { readonly [name: string]: Schema }) =>
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        { description: say(type, name), ...schema },
      ]),
    );
  const node = {
    tool_ref: { type: 'string', pattern: TOOL_REFERENCE, maxLength: 171 },
    model_tool_name: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
    required: { type: 'boolean', default: false },
    required_for: list(TERMINAL_RESULT, { max: 64 }),
    calls: {
      ...mapping(fields('HarnessCallBounds', { min: integer(1, 10_000), max: integer(1, 10_000) })),
    },
    prerequisites: { type: 'array', maxItems: 64, items: ref('prerequisite') },
    terminal_result: { anyOf: [text(TERMINAL_RESULT), { type: 'null' }] },
    disposition: { enum: ['success', 'blocked', 'rejected', 'escalated', 'failed'] },
    produces: list(ARTIFACT_ID),
  };
  const matchRecord = mapping(
    fields('HarnessArgumentMatch', {
      prior_argument: text(ARGUMENT_NAME),
      current_argument: text(ARGUMENT_NAME),
    }),
    ['prior_argument', 'current_argument'],
  );
  const alternative = mapping(
    fields('HarnessPrerequisite', {
      node_id: text(NODE_ID),
      argument_matches: either(
        {
          propertyNames: { pattern: ARGUMENT_NAME },
          additionalProperties: text(ARGUMENT_NAME),
          maxProperties: 32,
        },
        { items: matchRecord, maxItems: 32 },
      ),
    }),
    ['node_id'],
  );
  const limits = ['input_tokens', 'output_tokens', 'cost_micros', 'tool_calls', 'wall_ms'];
  const budgets = {
    max_iterations: integer(1, 256),
    max_validation_retries: integer(1, 64),
    max_tool_errors: integer(1, 64),
    max_prerequisite_violations: integer(1, 64),
    max_premature_terminal_attempts: integer(1, 64),
  };
  const root = {
    schema_version: { enum: ['1.0', '1.1'] },
    kind: { const: 'millforge_harness' },
    harness_id: dottedId(),
    harness_version: integer(1, 2_147_483_647),
    stage_scope: mapping(
      fields('StageScope', { stage_kind_ids: list(DOTTED_ID, { min: 1, max: 64 }) }),
      ['stage_kind_ids'],
    ),
    model_profile_id: dottedId(),
    prompt: mapping(
      fields('PromptPolicy', {
        policy_id: dottedId(),
        system_instructions: { type: 'string', pattern: '\\S', maxLength: 65_536 },
        include_request_context: { type: 'boolean' },
      }),
      ['policy_id', 'system_instructions', 'include_request_context'],
    ),
    budgets: mapping(
      fields('PlanBudgets', {
        ...budgets,
        observed_limits: mapping(
          fields(
            'ObservedLimits',
            Object.fromEntries(limits.map((name) => [name, integer(1, Number.MAX_SAFE_INTEGER)])),
          ),
        ),
      }),
      Object.keys(budgets),
    ),
    context: mapping(
      fields('ContextPolicy', {
        strategy_id: { const: 'forge.tiered.v1' },
        budget_tokens: integer(256, 1_000_000),
        keep_recent_iterations: integer(0, 64),
        phase_thresholds: {
          type: 'array',
          minItems: 3,
          maxItems: 3,
          items: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
        },
      }),
      ['strategy_id', 'budget_tokens', 'keep_recent_iterations', 'phase_thresholds'],
    ),
    graph: mapping(
      fields('HarnessGraph', {
        nodes: either(
          {
            propertyNames: { pattern: NODE_ID },
            additionalProperties: ref('node'),
            minProperties: 1,
            maxProperties: 512,
          },
          { items: ref('node_record'), minItems: 1, maxItems: 512 },
        ),
      }),
      ['nodes'],
    ),
    // An empty value is an empty mapping to the compiler, and null to editors.
    artifacts: {
      ...mapping(
        fields('HarnessArtifacts', {
          declared_artifact_ids: list(ARTIFACT_ID, { max: 512 }),
          required_by_terminal: either(
            {
              propertyNames: { pattern: TERMINAL_RESULT },
              additionalProperties: list(ARTIFACT_ID, { min: 1, max: 512 }),
              maxProperties: 64,
            },
            {
              items: mapping(
                fields('TerminalArtifacts', {
                  terminal_result: text(TERMINAL_RESULT),
                  artifact_ids: list(ARTIFACT_ID, { min: 1, max: 512 }),
                }),
                ['terminal_result', 'artifact_ids'],
              ),
              maxItems: 64,
            },
          ),
        }),
      ),
      type: ['object', 'null'],
    },
    capability_constraints: either(
      {
        propertyNames: { pattern: DOTTED_ID, maxLength: 160 },
        additionalProperties: ref('constraints'),
        maxProperties: 64,
      },
      {
        items: mapping(
          fields('PlanCapabilityConstraint', {
            capability_id: dottedId(),
            constraints: ref('constraints'),
          }),
          ['capability_id', 'constraints'],
        ),
        maxItems: 64,
      },
    ),
  };
  const nodeFields = fields('HarnessNode', node);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'https://unpkg.com/@millforge/compiler/harness.schema.json',
    title: 'Millforge harness',
    ...mapping(
      fields('HarnessSource', root),
      Object.keys(root).filter((name) => name !== 'capability_constraints'),
    ),
    // Whatever is not of version 1.1 keeps to what version 1.0 knows.
    anyOf: [
      { properties: { schema_version: { const: '1.1' } } },
      {
        properties: {
          capability_constraints: false,
          budgets: { properties: { observed_limits: false } },
          graph: {
            properties: {
              nodes: { additionalProperties: ref('node_of_1_0'), items: ref('node_of_1_0') },
            },
          },
        },
      },
    ],
    definitions: {
      node: mapping(nodeFields, ['tool_ref']),
      node_record: mapping(
        { ...fields('HarnessNode', { node_id: text(NODE_ID) }), ...nodeFields },
        ['node_id', 'tool_ref'],
      ),
      node_of_1_0: {
        properties: {
          model_tool_name: false,
          required_for: false,
          calls: false,
          disposition: false,
          prerequisites: { items: { properties: { any_of: false } } },
        },
      },
      prerequisite: { anyOf: [ref('alternative'), ref('alternatives')] },
      alternatives: mapping(
        fields('HarnessAlternatives', {
          any_of: { type: 'array', minItems: 2, maxItems: 16, items: ref('alternative') },
        }),
        ['any_of'],
      ),
      alternative,
      constraints: {
        ...mapping(
          fields('CapabilityConstraints', {
            paths: entries({ pattern: '^[^\\\\]+$' }),
            hosts: entries({ pattern: '^(\\*\\.)?[a-z0-9.-]+$', maxLength: 255 }),
            commands: entries({ pattern: '^\\S(.*\\S)?$' }),
            max_bytes: integer(1, Number.MAX_SAFE_INTEGER),
          }),
        ),
        minProperties: 1,
      },
    },
  };
}

const DOTTED_ID = '^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*$';
const NODE_ID = '^[a-z][a-z0-9_]{0,63}$';
const ARTIFACT_ID = '^[a-z][a-z0-9._-]{0,127}$';
const TERMINAL_RESULT = '^[A-Z][A-Z0-9_]{0,127}$';
const ARGUMENT_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,127}$';
const TOOL_REFERENCE = '^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*@[1-9][0-9]{0,9}$';

function mapping(
  properties: { readonly [name: string]: Schema },
  required: readonly string[] = [],
): Schema {
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties,
  };
}

/** A mapping or a list of records, which mean the same. */
function either(object: Schema, array: Schema): Schema {
  return { type: ['object', 'array'], ...object, ...array };
}

function text(pattern: string): Schema {
  return { type: 'string', pattern };
}

function dottedId(): Schema {
  return { type: 'string', pattern: DOTTED_ID, maxLength: 160 };
}

function integer(minimum: number, maximum: number): Schema {
  return { type: 'integer', minimum, maximum };
}

function list(
  pattern: string,
  bounds: { readonly min?: number; readonly max?: number } = {},
): Schema {
  const item = pattern === DOTTED_ID ? dottedId() : text(pattern);
  return {
    type: 'array',
    items: item,
    uniqueItems: true,
    ...(bounds.min === undefined ? {} : { minItems: bounds.min }),
    ...(bounds.max === undefined ? {} : { maxItems: bounds.max }),
  };
}

function entries(item: Schema): Schema {
  return {
    type: 'array',
    items: { type: 'string', maxLength: 512, ...item },
    uniqueItems: true,
    minItems: 1,
    maxItems: 64,
  };
}

function ref(name: string): Schema {
  return { $ref: `#/definitions/${name}` };
}

/** Reads the comments on the fields of the types, so that they are written once. */
function describer(): (type: string, field: string) => string {
  const comments = new Map<string, string>();
  for (const file of SOURCES) {
    const source = readFileSync(new URL(file, import.meta.url), 'utf8');
    for (const [, type = '', body = ''] of source.matchAll(/interface (\w+) \{\n([\s\S]*?)\n\}/g)) {
      for (const [, comment = '', field = ''] of body.matchAll(FIELD)) {
        comments.set(`${type}.${field}`, comment);
      }
    }
  }
  return (type, field) => {
    const comment = comments.get(`${type}.${field}`);
    if (comment === undefined) throw new Error(`${type}.${field} has no comment of one line.`);
    return comment;
  };
}

const FIELD = /\/\*\* (.*) \*\/\n {2}readonly (\w+)\??:/g;
const SOURCES = [
  '../packages/compiler/src/harness-source.ts',
  '../packages/contracts/src/plan/compiled-harness-plan.ts',
  '../packages/contracts/src/plan/capability-constraints.ts',
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL('../packages/compiler/harness.schema.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify(harnessSchema(), null, 2)}\n`);
}
