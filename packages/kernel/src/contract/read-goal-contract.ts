import {
  boundDiagnostics,
  canonicalJson,
  type Diagnostic,
  type JsonObject,
  type JsonValue,
  MillforgeError,
  type Usage,
} from '@millforge/contracts';
import { found } from '../diagnostics.ts';
import { EFFECTS, REPEATS } from '../store/read-column.ts';
import { USAGE_NAMES } from '../store/read-usage.ts';
import type { AdapterBinding, GoalContract, TaskContract } from './goal-contract.ts';
import { type Fields, readFields } from './read-fields.ts';

/** A contract with every default filled in; the form that is digested. */
export interface CompleteContract
  extends Required<Omit<GoalContract, 'limits' | 'tasks' | 'observed_limits'>> {
  /** The steps with their defaults. */
  readonly tasks: readonly CompleteTask[];
  /** Bounds; null where there is none. */
  readonly limits: {
    /** Units. */
    readonly units: number;
    /** Milliseconds. */
    readonly wall_ms: number | null;
    /** Bytes. */
    readonly artifact_bytes: number | null;
  };
  /** Absent where nothing observed is bounded, so that older contracts keep their digest. */
  readonly observed_limits?: Usage;
}

/** A task with every default filled in; what may be absent is absent where it says nothing. */
export type CompleteTask = Required<Omit<TaskContract, 'only_after' | 'check'>> &
  Pick<TaskContract, 'only_after' | 'check'>;

/** A readable contract, or everything that is wrong with it. */
export type ReadGoalContractResult =
  | { readonly ok: true; readonly value: CompleteContract; readonly diagnostics: readonly [] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads an untrusted value as a contract, fills in the defaults, and collects every mistake. */
export function readGoalContract(value: unknown): ReadGoalContractResult {
  const diagnostics: Diagnostic[] = [];
  const plain = plainCopy(value, diagnostics);
  const fields = readFields(plain, { path: '', known: GOAL_FIELDS, diagnostics });
  const contract = fields === null ? null : readGoal(fields);
  if (contract !== null && diagnostics.length === 0) checkMeaning(contract, diagnostics);
  if (contract !== null && diagnostics.length === 0) {
    return { ok: true, value: contract, diagnostics: [] };
  }
  return { ok: false, diagnostics: boundDiagnostics(diagnostics, { phases: ['contract'] }) };
}

/** Takes the value apart through its canonical form: no getters, no instances, no shared objects remain. */
function plainCopy(value: unknown, diagnostics: Diagnostic[]): JsonValue {
  try {
    // Whatever is no JSON makes the encoder throw, so the cast claims nothing that is not checked.
    return JSON.parse(canonicalJson(value as JsonValue)) as JsonValue;
  } catch (error) {
    if (!MillforgeError.is(error)) throw error;
    diagnostics.push(found.notAnObject({ path: pathOf(error), fields: { expected: 'JSON' } }));
    return null;
  }
}

/** Where the encoder met what is no JSON. */
function pathOf({ details }: MillforgeError): string {
  const place = new Map(Object.entries(details ?? {})).get('path');
  return typeof place === 'string' ? place : '/';
}

function readGoal(fields: Fields): CompleteContract {
  fields.word('kind', ['goal_contract']);
  fields.word('schema_version', ['1.0']);
  const tasks = fields
    .items('tasks', { min: 1, max: 256 })
    .map((task) => readTask(task))
    .filter((task) => task !== null);
  const needed = tasks.reduce((sum, task) => sum + task.units * task.max_attempts, 0);
  const limits = fields.object('limits', ['units', 'wall_ms', 'artifact_bytes'], {});
  return {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: fields.id('goal_id'),
    objective: fields.text('objective', 16_384),
    inputs: readInputs(fields),
    tasks,
    on_ambiguous: fields.word('on_ambiguous', ['hold', 'retry'], 'hold'),
    required_checks: fields.texts('required_checks', 256),
    unchecked: fields.flag('unchecked', false),
    legal_terminal_results: fields.texts('legal_terminal_results', 256),
    limits: {
      units: limits.optionalWhole('units', [1, MAX_WHOLE]) ?? needed,
      wall_ms: limits.optionalWhole('wall_ms', [1000, MAX_WHOLE]),
      artifact_bytes: limits.optionalWhole('artifact_bytes', [0, MAX_WHOLE]),
    },
    labels: readLabels(fields),
    ...readObservedLimits(fields),
  };
}

function readObservedLimits(fields: Fields): Pick<CompleteContract, 'observed_limits'> {
  const given = fields.object('observed_limits', USAGE_NAMES, {});
  const limits: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  for (const name of USAGE_NAMES) {
    const limit = given.optionalWhole(name, [0, MAX_WHOLE]);
    if (limit !== null) limits[name] = limit;
  }
  return Object.keys(limits).length === 0 ? {} : { observed_limits: limits };
}

function readTask(item: {
  readonly value: JsonValue;
  readonly within: Fields['within'];
}): CompleteTask | null {
  const fields = item.within(item.value, TASK_FIELDS);
  if (fields === null) return null;
  return {
    task_id: fields.id('task_id'),
    adapter: readAdapter(fields),
    doubt: fields.word('doubt', ['attempt', 'operation'], 'attempt'),
    effect: fields.word('effect', EFFECTS),
    repeat: fields.word('repeat', REPEATS, 'unsafe'),
    depends_on: fields.texts('depends_on', 256),
    units: fields.whole('units', [1, 1_000_000_000], 1),
    max_attempts: fields.whole('max_attempts', [1, 16], 1),
    max_resumes: fields.whole('max_resumes', [0, 1_000_000], 20),
    lease_ms: fields.whole('lease_ms', [1000, DAY_MS], 60_000),
    timeout_ms: fields.whole('timeout_ms', [1000, DAY_MS], 600_000),
    optional: fields.flag('optional', false),
    ...(fields.has('check') ? { check: fields.id('check') } : {}),
    ...readCondition(fields),
  };
}

function readCondition(task: Fields): Pick<CompleteTask, 'only_after'> {
  if (!task.has('only_after')) return {};
  const condition = task.object('only_after', ['task', 'verdict']);
  return {
    only_after: {
      task: condition.id('task'),
      verdict: condition.word('verdict', ['pass', 'fail']),
    },
  };
}

function readAdapter(task: Fields): AdapterBinding {
  const fields = task.object('adapter', ['kind', 'name', 'version', 'parameters']);
  return {
    kind: fields.word('kind', ['model', 'tool', 'verify']),
    name: fields.text('name', 256),
    version: fields.text('version', 256),
    parameters: fields.required('parameters'),
  };
}

function readInputs(fields: Fields): JsonObject {
  const inputs = fields.map('inputs');
  if (canonicalJson(inputs).length > 1_048_576) {
    fields.report(found.tooLarge({ path: fields.at('inputs'), fields: { limit: '1 MiB' } }));
  }
  return inputs;
}

function readLabels(fields: Fields): { readonly [name: string]: string } {
  const labels: { [name: string]: string } = {};
  const given = Object.entries(fields.map('labels'));
  if (given.length > 16) {
    fields.report(found.tooLarge({ path: fields.at('labels'), fields: { limit: '16 labels' } }));
  }
  for (const [name, value] of given) {
    if (typeof value === 'string' && value.length <= 256 && name.length <= 64) {
      labels[name] = value;
    } else {
      fields.report(
        found.wrongValue({
          path: fields.at('labels', name),
          fields: { expected: 'a name of up to 64 and a text of up to 256 characters' },
        }),
      );
    }
  }
  return labels;
}

/** What holds between fields. */
function checkMeaning(contract: CompleteContract, diagnostics: Diagnostic[]): void {
  const earlier = new Map<string, CompleteTask>();
  for (const [place, task] of contract.tasks.entries()) {
    const path = `/tasks/${place}`;
    if (earlier.has(task.task_id)) {
      diagnostics.push(
        found.duplicateTask({ path: `${path}/task_id`, fields: { task: task.task_id } }),
      );
    }
    for (const [index, name] of task.depends_on.entries()) {
      if (earlier.has(name)) continue;
      diagnostics.push(
        found.unknownDependency({ path: `${path}/depends_on/${index}`, fields: { task: name } }),
      );
    }
    checkVerdicts(task, { path, earlier, diagnostics });
    earlier.set(task.task_id, task);
  }
  checkChecks(contract, diagnostics);
  const first = contract.tasks
    .filter(({ only_after }) => only_after === undefined)
    .reduce((sum, task) => sum + task.units, 0);
  if (first > contract.limits.units) {
    diagnostics.push(
      found.unitsOverLimit({
        path: '/limits/units',
        fields: { units: first, limit: contract.limits.units },
      }),
    );
  }
}

/** Only a verify task has a verdict. */
function checkVerdicts(
  task: CompleteTask,
  {
    path,
    earlier,
    diagnostics,
  }: {
    readonly path: string;
    readonly earlier: ReadonlyMap<string, CompleteTask>;
    readonly diagnostics: Diagnostic[];
  },
): void {
  if (task.check !== undefined && task.adapter.kind !== 'verify') {
    diagnostics.push(found.checkWithoutVerify({ path: `${path}/check` }));
  }
  const condition = task.only_after;
  if (condition === undefined) return;
  if (earlier.get(condition.task)?.adapter.kind === 'verify') return;
  diagnostics.push(
    found.unknownCondition({
      path: `${path}/only_after/task`,
      fields: { task: condition.task },
    }),
  );
}

function checkChecks(contract: CompleteContract, diagnostics: Diagnostic[]): void {
  const names = new Set([
    TERMINAL_OUTCOME,
    ...contract.tasks.filter(({ adapter }) => adapter.kind === 'verify').map(checkNameOf),
  ]);
  for (const [place, check] of contract.required_checks.entries()) {
    if (names.has(check)) continue;
    diagnostics.push(found.unknownCheck({ path: `/required_checks/${place}`, fields: { check } }));
  }
  if (contract.required_checks.length === 0 && !contract.unchecked) {
    diagnostics.push(found.missingCheck({ path: '/required_checks' }));
  }
  if (
    contract.required_checks.includes(TERMINAL_OUTCOME) &&
    contract.legal_terminal_results.length === 0
  ) {
    diagnostics.push(found.missingTerminals({ path: '/legal_terminal_results' }));
  }
}

/** The check that a verify task decides. */
export function checkNameOf({ check, task_id }: CompleteTask): string {
  return check ?? task_id;
}

/** Name of the built-in check of a run's terminal outcome. */
export const TERMINAL_OUTCOME = 'terminal-outcome';

const DAY_MS = 86_400_000;
const MAX_WHOLE = Number.MAX_SAFE_INTEGER;

const GOAL_FIELDS = [
  'kind',
  'schema_version',
  'goal_id',
  'objective',
  'inputs',
  'tasks',
  'on_ambiguous',
  'required_checks',
  'unchecked',
  'legal_terminal_results',
  'limits',
  'labels',
  'observed_limits',
];

const TASK_FIELDS = [
  'task_id',
  'adapter',
  'doubt',
  'effect',
  'repeat',
  'depends_on',
  'units',
  'max_attempts',
  'max_resumes',
  'lease_ms',
  'timeout_ms',
  'optional',
  'only_after',
  'check',
];
