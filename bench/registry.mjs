import Ajv from 'ajv';
import {
  compileValidator,
  createRedactor,
  defineTool,
  normalizeSchema,
} from '../packages/contracts/dist/index.js';
import { manualClock } from '../packages/contracts/dist/testing.js';
import { createRegistry } from '../packages/registry/dist/index.js';
import { createToolTester } from '../packages/registry/dist/testing.js';
import { compare, median, report, timed } from './measure.mjs';

// The arguments of a tool as tools have them: a path, a few scalars, and a list of small objects.
const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    path: { type: 'string', description: 'File to change.' },
    mode: { type: 'string', enum: ['create', 'append', 'replace'] },
    limit: { type: 'integer' },
    ratio: { type: 'number' },
    dry_run: { type: 'boolean' },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: { old_text: { type: 'string' }, new_text: { type: 'string' } },
        required: ['old_text', 'new_text'],
      },
    },
  },
  required: ['path', 'edits'],
};
const VALUE = {
  path: 'src/a.ts',
  mode: 'replace',
  limit: 20,
  ratio: 0.5,
  dry_run: false,
  edits: [
    { old_text: 'one', new_text: 'two' },
    { old_text: 'three', new_text: 'four' },
  ],
};

/** The boundary around one call, and the registry behind it. */
export async function benchRegistry() {
  await benchValidation();
  benchCompile();
  await benchBoundary();
  benchFreeze();
}

async function benchValidation() {
  const ours = compileValidator(normalized());
  const theirs = new Ajv({ strict: false }).compile(SCHEMA);
  // Parsed anew, as the arguments of a model are: one object in a loop would be measured as a constant.
  const values = Array.from({ length: 512 }, (_, index) =>
    JSON.parse(JSON.stringify({ ...VALUE, limit: index, path: `src/${index}.ts` })),
  );
  const CALLS = 204_800;
  const each = (validate) => () =>
    timed(() => repeat(CALLS, (index) => must(validate(values[index % values.length]))), CALLS);
  const ourCalls = each((value) => ours(value) === null);
  const theirCalls = each((value) => theirs(value));
  report(
    'validation of arguments / compiled ajv (≤ 1.5)',
    await compare(ourCalls, theirCalls, 11),
    'call',
  );
}

function benchCompile() {
  const samples = samplesOf(2000, () => compileValidator(normalized()));
  const compileOnly = normalized();
  line(
    'schema to validator, normalised (≤ 50 µs)',
    median(samplesOf(2000, () => compileValidator(compileOnly))),
  );
  line('schema to validator, from the author (≤ 50 µs)', median(samples));
}

async function benchBoundary() {
  const tool = defineTool({ ...DEFINITION, id: 'bench.edit', name: 'edit', run: async () => DONE });
  const tester = createToolTester(tool, { clock: manualClock(), redactor: createRedactor() });
  const samples = [];
  for (let index = 0; index < 20_000; index += 1) {
    const start = performance.now();
    const { outcome } = await tester.call(VALUE);
    samples.push((performance.now() - start) * 1000);
    must(outcome.status === 'success');
  }
  line('whole boundary around a tool without I/O (≤ 25 µs)', median(samples.slice(2000)));
}

function benchFreeze() {
  const COUNT = 10_000;
  const tools = Array.from({ length: COUNT }, (_, index) =>
    defineTool({
      ...DEFINITION,
      id: `bench.tool${index}`,
      name: `tool_${index}`,
      run: async () => DONE,
    }),
  );
  const rounds = [];
  let snapshot;
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    const registry = createRegistry();
    registry.register(...tools);
    snapshot = registry.freeze();
    rounds.push(performance.now() - start);
  }
  process.stdout.write(
    `10,000 tools registered and frozen (< 500 ms)${median(rounds).toFixed(0).padStart(8)} ms\n`,
  );
  const lookups = samplesOf(200, (round) => {
    for (let index = 0; index < 1000; index += 1) {
      must(
        snapshot.resolveExact(`bench.tool${(index * 7 + round) % COUNT}`, 1).classification ===
          'found',
      );
    }
  });
  line('exact lookup among 10,000 (< 1 µs)', median(lookups) / 1000);
}

function normalized() {
  const normal = normalizeSchema(SCHEMA, '', { version: '1.1' });
  if (!normal.ok) throw new Error(normal.message);
  return normal.value;
}

function repeat(count, work) {
  for (let index = 0; index < count; index += 1) work(index);
}

/** Microseconds of each of `count` performances, without the first tenth. */
function samplesOf(count, work) {
  const samples = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    work(index);
    samples.push((performance.now() - start) * 1000);
  }
  return samples.slice(count / 10);
}

function must(holds) {
  if (!holds) throw new Error('The benchmark measures something that does not work.');
}

function line(name, microseconds) {
  process.stdout.write(`${name.padEnd(54)}${microseconds.toFixed(2).padStart(14)} µs\n`);
}

const DONE = { kind: 'done', text: 'ok' };
const DEFINITION = {
  description: 'Changes a file.',
  input: SCHEMA,
  sideEffect: 'workspace_write',
  idempotency: 'idempotent',
  capabilities: ['workspace.write'],
};
