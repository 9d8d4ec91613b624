import type { JsonValue } from '@millforge/contracts';
import {
  type CompleteContract,
  checkNameOf,
  TERMINAL_OUTCOME,
} from '../contract/read-goal-contract.ts';
import { appendRecord, changed } from './append-record.ts';
import { readTasks, type TaskRow } from './attempt-row.ts';
import type { GoalRow } from './goal-row.ts';
import { openHold } from './open-hold.ts';
import { readPayload } from './payloads.ts';
import type { StoreTransaction } from './store-transaction.ts';

/** Decides a goal whose tasks are done: completed when every required check passes, failed when one fails. */
export function checkGoal(
  tx: StoreTransaction,
  goal: GoalRow,
  { contract, actor }: { readonly contract: CompleteContract; readonly actor: string },
): void {
  if (goal.state !== 'checking') return;
  const tasks = new Map(readTasks(tx, goal).map((row) => [row.task_id, row]));
  const verdicts = contract.required_checks.map((check) => ({
    check,
    ...(check === TERMINAL_OUTCOME
      ? terminalOutcomes(tx, goal, { contract, tasks })
      : verdictOf(check, contract, tasks)),
  }));
  const failed = verdicts.find(({ verdict }) => verdict === 'fail');
  const unknown = verdicts.find(({ verdict }) => verdict === 'unknown');
  if (failed === undefined && unknown !== undefined) {
    openHold(tx, goal, {
      hold: {
        reason: 'check-unknown',
        message: `The check ${unknown.check} has no verdict: ${unknown.why}.`,
        taskId: decidersOf(unknown.check, contract).at(-1) ?? '',
        attempt: null,
        operationKey: null,
        facts: {},
      },
      actor,
      changes: [],
    });
    return;
  }
  appendRecord(tx, goal, {
    type: 'goal-checked',
    actor,
    changes: [
      changed(
        'goals',
        failed === undefined
          ? { state: 'completed' }
          : {
              state: 'failed',
              failure_code: 'check-failed',
              failure_message: `The check ${failed.check} failed: ${failed.why}.`,
            },
      ),
    ],
    facts: { verdicts },
  });
}

/** What a check says, with its reason. */
type Verdict = { readonly verdict: 'pass' | 'fail' | 'unknown'; readonly why: string };

/** The tasks that decide a check, in their order. */
function decidersOf(check: string, { tasks }: CompleteContract): readonly string[] {
  return tasks
    .filter((task) => task.adapter.kind === 'verify' && checkNameOf(task) === check)
    .map(({ task_id }) => task_id);
}

/** The verdict of the last task that ran for a check; of rounds that were not needed nothing is asked. */
function verdictOf(
  check: string,
  contract: CompleteContract,
  tasks: ReadonlyMap<string, TaskRow>,
): Verdict {
  const last = decidersOf(check, contract).findLast(
    (taskId) => tasks.get(taskId)?.state === 'completed',
  );
  const verdict = last === undefined ? null : tasks.get(last)?.verdict;
  if (last === undefined || verdict === null || verdict === undefined) {
    return { verdict: 'unknown', why: 'no task that decides it has run' };
  }
  return { verdict, why: `${last} says ${verdict}` };
}

function terminalOutcomes(
  tx: StoreTransaction,
  goal: GoalRow,
  {
    contract,
    tasks,
  }: { readonly contract: CompleteContract; readonly tasks: ReadonlyMap<string, TaskRow> },
): Verdict {
  const outputs = contract.tasks
    .filter(({ adapter }) => adapter.kind === 'model')
    .map(({ task_id }) => tasks.get(task_id))
    .filter((row) => row?.state === 'completed')
    .map((row) =>
      row?.output_sha256 === null || row?.output_sha256 === undefined
        ? null
        : readPayload(tx, goal.tenant, row.output_sha256),
    );
  if (outputs.length === 0) return { verdict: 'unknown', why: 'no model task has run' };
  const failed = outputs
    .map((output) => terminalOutcome(output, contract.legal_terminal_results))
    .find(({ verdict }) => verdict === 'fail');
  return failed ?? { verdict: 'pass', why: 'the run reached a legal terminal' };
}

/** Passes an outcome that reached a terminal which the contract allows. */
function terminalOutcome(output: JsonValue, legal: readonly string[]): Verdict {
  const isOutcome = typeof output === 'object' && output !== null && 'status' in output;
  if (!isOutcome) return { verdict: 'fail', why: 'the output is no run outcome' };
  const { status, terminal_result: result } = output;
  if (status !== 'success' && status !== 'blocked' && status !== 'rejected') {
    return { verdict: 'fail', why: `the run ended as ${shown(status)}` };
  }
  if (typeof result !== 'string' || !legal.includes(result)) {
    return { verdict: 'fail', why: `the terminal result ${shown(result)} is not a legal one` };
  }
  return { verdict: 'pass', why: `the run ended as ${status} with ${result}` };
}

function shown(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, 64) : 'none';
}
