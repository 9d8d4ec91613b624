import type { JsonValue } from '@millforge/contracts';
import { type CompleteContract, TERMINAL_OUTCOME } from '../contract/read-goal-contract.ts';
import type { Transaction } from '../sqlite/database.ts';
import { appendRecord, changed } from './append-record.ts';
import { readTasks } from './attempt-row.ts';
import { type GoalRow, readGoalAgain } from './goal-row.ts';
import { readPayload } from './payloads.ts';

/** Decides a goal whose tasks are done: completed when every required check passes, else failed. */
export function checkGoal(
  tx: Transaction,
  {
    goal: before,
    contract,
    actor,
    now,
  }: {
    readonly goal: GoalRow;
    readonly contract: CompleteContract;
    readonly actor: string;
    readonly now: number;
  },
): void {
  const goal = readGoalAgain(tx, before, now);
  if (goal.state !== 'checking') return;
  const outputs = readTasks(tx, goal).map(({ output_sha256 }) =>
    output_sha256 === null ? null : readPayload(tx, goal.tenant, output_sha256),
  );
  const verdicts = contract.required_checks.map((check) => ({
    check,
    ...verdictOf(check, contract, outputs),
  }));
  const failed = verdicts.find(({ verdict }) => verdict === 'fail');
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
type Verdict = { readonly verdict: 'pass' | 'fail'; readonly why: string };

function verdictOf(
  check: string,
  contract: CompleteContract,
  outputs: readonly JsonValue[],
): Verdict {
  if (check !== TERMINAL_OUTCOME) return { verdict: 'fail', why: 'there is no such check' };
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
