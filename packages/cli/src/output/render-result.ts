import { type JsonValue, type RunHold, type RunResult, unreachable } from '@millforge/contracts';
import type { GoalKind } from '../port/goal-kind.ts';
import { type TextSink, writeLine } from './terminal.ts';
import { type PlacedGoal, type WaysOn, waysOn } from './ways-on.ts';

/** Prints what a goal came to, for a person; with the commands that go on with it. */
export function printResult(
  sink: TextSink,
  result: RunResult,
  { kind, dataFlag, program }: Omit<PlacedGoal, 'goalId'> & { readonly kind: GoalKind },
): void {
  const ways = waysOn(kind, { goalId: result.run_id, dataFlag, program });
  writeLine(sink, headline(result));
  if (result.summary !== null) writeLine(sink, `  ${result.summary}`);
  // What a held run waits for is said by its holds.
  const reason = result.status === 'held' ? null : result.failure_message;
  if (reason !== null) writeLine(sink, `  ${reason}`);
  for (const hold of result.holds) printHold(sink, hold, ways);
  if (result.trail_path === null) return;
  if (isResumable(result)) writeLine(sink, `  go on with: ${ways.goOn}`);
  if (result.failure_class === 'model_unavailable') writeLine(sink, `  ${ways.anew}`);
  writeLine(sink, `  ${kind} ${result.run_id}, trail ${result.trail_path}`);
}

/** Prints a hold with all that a person needs to decide it. */
export function printHold(sink: TextSink, hold: RunHold, ways: WaysOn): void {
  writeLine(sink, `  hold ${hold.hold_id} (${hold.reason}): ${hold.question}`);
  if (hold.describe !== null) {
    writeLine(sink, `    operation  ${hold.operation ?? ''}: ${hold.describe}`);
  }
  if (hold.input !== null) writeLine(sink, `    input      ${cut(JSON.stringify(hold.input))}`);
  if (hold.reconciliation !== null) {
    writeLine(sink, `    looking    ${cut(JSON.stringify(hold.reconciliation))}`);
  }
  if (hold.former_owner_alive !== null) {
    const state = hold.former_owner_alive ? 'still lives: it may yet happen' : 'is dead';
    writeLine(sink, `    its owner  ${state}`);
  }
  const mayHappen = areProcessesAlive(hold);
  if (mayHappen) writeLine(sink, `    first      ${WAIT}`);
  for (const decision of inOrder(hold, mayHappen)) {
    writeLine(sink, `    decide     ${ways.decide(hold.hold_id, decision)}`);
  }
}

/** To have it done again comes last while it may still be under way: the first line is the one that is copied. */
function inOrder({ decisions }: RunHold, mayHappen: boolean): readonly string[] {
  if (!mayHappen || !decisions.includes('retry')) return decisions;
  return [...decisions.filter((decision) => decision !== 'retry'), 'retry'];
}

/** Whether whoever looked at a command saw its processes. */
function areProcessesAlive({ reconciliation }: RunHold): boolean {
  const evidence = fieldOf(reconciliation, 'evidence') ?? reconciliation;
  return fieldOf(evidence, 'processes_alive') === true;
}

function fieldOf(value: JsonValue, name: string): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.entries(value).find(([key]) => key === name)?.[1] ?? null;
}

function headline(result: RunResult): string {
  switch (result.status) {
    case 'success':
    case 'blocked':
    case 'rejected':
      // Only runs have terminals.
      return result.terminal_result === null
        ? result.status
        : `${result.status}: ${result.terminal_result}`;
    case 'held':
      return 'held: a person must decide';
    case 'running':
    case 'interrupted':
      return result.status;
    case 'failed':
      // It fails the command, and the run can be gone on with, as the list of runs says.
      return isResumable(result) ? `interrupted (${result.failure_class})` : ended(result);
    case 'budget_exhausted':
    case 'cancelled':
    case 'deadline':
      return ended(result);
    default:
      return unreachable(result.status, 'status of a run');
  }
}

function ended({ status, failure_class: failureClass }: RunResult): string {
  return `${status.replace('_', ' ')}${failureClass === null ? '' : ` (${failureClass})`}`;
}

function isResumable(result: RunResult): boolean {
  return result.status === 'interrupted' || result.failure_class === 'model_unavailable';
}

function cut(text: string): string {
  return text.length > 400 ? `${text.slice(0, 399)}…` : text;
}

const WAIT =
  'wait until its processes have ended, or end them, and look at what they did; a retry now would run it twice at once';
