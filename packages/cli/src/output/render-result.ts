import type { RunHold, RunResult } from '@millforge/contracts';
import { type TextSink, writeLine } from './terminal.ts';

/** Prints what a run came to, for a person. */
export function printResult(sink: TextSink, result: RunResult): void {
  writeLine(sink, `${headline(result)}`);
  if (result.summary !== null) writeLine(sink, `  ${result.summary}`);
  if (result.failure_message !== null) writeLine(sink, `  ${result.failure_message}`);
  for (const hold of result.holds) printHold(sink, result.run_id, hold);
  const advice = adviceOf(result);
  if (advice !== null) writeLine(sink, `  ${advice}`);
  if (result.trail_path !== null) {
    writeLine(sink, `  run ${result.run_id}, trail ${result.trail_path}`);
  }
}

/** Prints a hold with all that a person needs to decide it. */
export function printHold(sink: TextSink, runId: string, hold: RunHold): void {
  writeLine(sink, `  hold ${hold.hold_id} (${hold.reason}): ${hold.question}`);
  if (hold.describe !== null) writeLine(sink, `    operation  ${hold.operation}: ${hold.describe}`);
  if (hold.input !== null) writeLine(sink, `    input      ${cut(JSON.stringify(hold.input))}`);
  if (hold.reconciliation !== null) {
    writeLine(sink, `    looking    ${cut(JSON.stringify(hold.reconciliation))}`);
  }
  if (hold.former_owner_alive !== null) {
    writeLine(
      sink,
      `    its owner  ${hold.former_owner_alive ? 'still lives: it may yet happen' : 'is dead'}`,
    );
  }
  writeLine(
    sink,
    `    decide     millforge resume ${runId} --decide ${hold.decisions.join('|')} --hold ${hold.hold_id}`,
  );
}

function headline(result: RunResult): string {
  switch (result.status) {
    case 'success':
      return `success: ${result.terminal_result ?? ''}`;
    case 'blocked':
    case 'rejected':
      return `${result.status}: ${result.terminal_result ?? ''}`;
    case 'held':
      return 'held: a person must decide';
    case 'interrupted':
      return 'interrupted';
    case 'failed':
    case 'budget_exhausted':
    case 'cancelled':
    case 'deadline':
      return `${result.status.replace('_', ' ')}${result.failure_class === null ? '' : ` (${result.failure_class})`}`;
  }
}

function adviceOf(result: RunResult): string | null {
  const isResumable =
    result.status === 'interrupted' || result.failure_class === 'model_unavailable';
  return isResumable && result.trail_path !== null
    ? `go on with: millforge resume ${result.run_id}`
    : null;
}

function cut(text: string): string {
  return text.length > 400 ? `${text.slice(0, 399)}…` : text;
}
