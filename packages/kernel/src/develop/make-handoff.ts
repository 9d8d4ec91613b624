import { type JsonValue, MillforgeError } from '@millforge/contracts';
import type { GoalView } from '../goal-view.ts';
import type { Kernel } from '../kernel.ts';
import type { Scope } from '../scope.ts';
import type { DevelopHandoff, DevelopVerdict } from './develop-handoff.ts';
import { type DevelopTerms, readTerms } from './develop-terms.ts';
import { loadHidden } from './hidden-criteria.ts';
import { captureOnly, type TreeViolation } from './look-at-trees.ts';
import { evidenceIn } from './read-outputs.ts';
import { planTasks } from './task-plan.ts';
import { treeDigest } from './tree/captured-tree.ts';
import { readArtifact } from './tree/read-artifact.ts';
import type { VerifyEvidence } from './verify-evidence.ts';

/** A handoff and the bytes of its patch. */
export interface MadeHandoff {
  /** The document. */
  readonly document: DevelopHandoff;
  /** The patch, for `git apply`; null before the first verdict. */
  readonly patch: Uint8Array | null;
}

/** Puts together what a person is handed, out of what is recorded and a look at the tree that was admitted. */
export async function makeHandoff(
  { kernel, scope }: { readonly kernel: Kernel; readonly scope: Scope },
  goalId: string,
): Promise<MadeHandoff> {
  const goal = await kernel.readGoal(scope, goalId);
  const terms = readTerms(goal.inputs);
  const store = kernel.artifacts(scope);
  const hidden = await loadHidden(store, terms);
  const judged = verdictsOf(goal, terms);
  const last = judged.at(-1)?.evidence ?? null;
  const named = (results: VerifyEvidence['results']): VerifyEvidence['results'] =>
    results.map((one) => (one.hidden ? { ...one, name: nameOf(one.name, hidden.criteria) } : one));
  const violations = [
    ...judged.flatMap(({ evidence }) => evidence.violations),
    ...(await recordedViolations({ kernel, scope }, goal, terms)),
  ];
  const document: DevelopHandoff = {
    kind: 'develop_handoff',
    schema_version: '1.0',
    goal: {
      goal_id: goal.goal_id,
      goal_uid: goal.goal_uid,
      state: goal.state,
      failure: goal.failure,
      head: goal.head,
    },
    contract_sha256: goal.contract_sha256,
    initial_candidate_sha256: terms.candidate.sha256,
    candidate_sha256: last?.candidate_sha256 ?? null,
    checks_sha256: terms.checks?.sha256 ?? null,
    receipts: goal.tasks.flatMap(({ task_id, receipt_sha256 }) =>
      receipt_sha256 === null ? [] : [{ task_id, receipt_sha256 }],
    ),
    verdicts: judged.map(({ evidence, ...verdict }) => ({
      ...verdict,
      criteria: named(evidence.results),
    })),
    violations,
    gaps: await gapsOf(goal, {
      terms,
      last: last === null ? null : { ...last, results: named(last.results) },
      violations,
    }),
    patch: last?.patch ?? null,
  };
  const patch = last === null ? null : await readArtifact(store, last.patch.sha256);
  return { document, patch };
}

type Judged = Omit<DevelopVerdict, 'criteria'> & { readonly evidence: VerifyEvidence };

function verdictsOf(goal: GoalView, terms: DevelopTerms): readonly Judged[] {
  const outputs = new Map(goal.tasks.map(({ task_id, output }) => [task_id, output]));
  return planTasks(terms)
    .filter(({ phase }) => phase === 'verify')
    .flatMap(({ taskId, round }) => {
      const evidence = evidenceIn(outputs.get(taskId) ?? null);
      const verify = verdictIn(outputs.get(taskId));
      if (evidence === null || verify === null) return [];
      return [{ round, verify, health: verdictIn(outputs.get(`health-${round}`)), evidence }];
    });
}

function verdictIn(output: JsonValue | undefined): 'pass' | 'fail' | null {
  const verdict = fieldOf(output, 'verdict');
  return verdict === 'pass' || verdict === 'fail' ? verdict : null;
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []).get(
    name,
  );
}

/** The name that the contract gives to `hidden-N`. */
function nameOf(name: string, hidden: readonly { readonly name: string }[]): string {
  return hidden[Number(name.slice('hidden-'.length)) - 1]?.name ?? name;
}

/** What the looks of phases found, those of a phase that failed over it included. */
async function recordedViolations(
  { kernel, scope }: { readonly kernel: Kernel; readonly scope: Scope },
  goal: GoalView,
  terms: DevelopTerms,
): Promise<readonly TreeViolation[]> {
  const found: TreeViolation[] = [];
  for (const { taskId, phase } of planTasks(terms)) {
    if (phase === 'prepare' || phase === 'verify') continue;
    const task = goal.tasks.find(({ task_id }) => task_id === taskId);
    if (task === undefined || task.attempt === null) continue;
    for (const key of phase === 'health' ? ['tree/now'] : ['tree/before', 'tree/after']) {
      const value = await outcomeOf({ kernel, scope }, { goalId: goal.goal_id, taskId, key });
      const violations = fieldOf(value, 'violations');
      // Looks alone are recorded under these keys, and they record this.
      if (Array.isArray(violations)) found.push(...(violations as unknown as TreeViolation[]));
    }
  }
  return found;
}

async function outcomeOf(
  { kernel, scope }: { readonly kernel: Kernel; readonly scope: Scope },
  { goalId, ...operation }: { goalId: string; taskId: string; key: string },
): Promise<JsonValue | undefined> {
  try {
    return (await kernel.readOperation(scope, goalId, operation)).outcome?.value;
  } catch (error) {
    // A phase that was cut short has not looked.
    if (MillforgeError.is(error, 'kernel/not-found')) return undefined;
    throw error;
  }
}

async function gapsOf(
  goal: GoalView,
  {
    terms,
    last,
    violations,
  }: {
    readonly terms: DevelopTerms;
    readonly last: VerifyEvidence | null;
    readonly violations: readonly TreeViolation[];
  },
): Promise<readonly string[]> {
  const gaps: string[] = [];
  if (goal.state !== 'completed') {
    const why = goal.failure === null ? '' : `: ${goal.failure.message}`;
    const state = OPEN.has(goal.state) ? 'has not ended' : `is ${goal.state}`;
    gaps.push(`The development ${state}, so nothing here has passed${why}`);
  }
  if (violations.length > 0) {
    gaps.push(`${violations.length} paths changed where or when they may not.`);
  }
  if (last === null) gaps.push('No candidate was judged, so there is no patch.');
  for (const { name, hidden, passed } of last?.results ?? []) {
    if (!passed) gaps.push(`The ${hidden ? 'hidden ' : ''}criterion ${name} failed.`);
  }
  if (last?.results.some(({ boundary }) => boundary === null) === true) {
    gaps.push(
      'Criteria were checked without a boundary: their commands ran as the user, with all rights.',
    );
  }
  if (last !== null && last.patch.files === 0) gaps.push('The patch is empty.');
  for (const path of last?.patch.left_out ?? []) {
    gaps.push(
      `The directory ${JSON.stringify(path)} comes or goes, and is empty: no patch can say so.`,
    );
  }
  for (const path of last?.patch.in_the_way ?? []) {
    gaps.push(
      `Remove the link ${JSON.stringify(path)} before the patch is applied: a directory takes its place.`,
    );
  }
  const now = await digestNow(terms);
  if (now !== terms.candidate.sha256) {
    gaps.push(
      'The tree that was admitted has changed since, or cannot be read; the patch may not apply to it.',
    );
  }
  return gaps;
}

async function digestNow({ candidate, ignore }: DevelopTerms): Promise<string | null> {
  try {
    return treeDigest(await captureOnly(candidate.place, ignore));
  } catch (error) {
    if (MillforgeError.is(error)) return null;
    throw error;
  }
}

/** States of a goal that is neither ended nor held, whether or not a process is at it. */
const OPEN: ReadonlySet<GoalView['state']> = new Set(['ready', 'running', 'checking']);
