import { deepFreeze, type PartialWork, type RunOutcome, type Usage } from '@millforge/contracts';
import { dispositionOf, statusOf } from './disposition.ts';
import type { RunEnding } from './run-ending.ts';

/** The document that a run leaves behind. */
export function runOutcome(
  ending: RunEnding,
  facts: {
    readonly planSha256: string;
    readonly turns: number;
    readonly usage: Usage;
    /** What was done so far. */
    readonly work: PartialWork;
  },
): RunOutcome {
  const common = {
    kind: 'run_outcome',
    schema_version: '1.0',
    plan_sha256: facts.planSha256,
    turns: facts.turns,
    usage: facts.usage,
  } as const;
  if (ending.kind === 'failure') {
    return deepFreeze({
      status: ending.status,
      failure_class: ending.failureClass,
      failure_message: ending.message,
      terminal_result: null,
      terminal_node_id: null,
      disposition: null,
      summary: null,
      selected_output: null,
      partial_work: facts.work,
      ...common,
    });
  }
  const disposition = dispositionOf(ending.node);
  return deepFreeze({
    status: statusOf(disposition),
    failure_class: null,
    failure_message: null,
    terminal_result: ending.node.terminal_result,
    terminal_node_id: ending.node.node_id,
    disposition,
    summary: ending.summary,
    selected_output: ending.selectedOutput,
    partial_work: null,
    ...common,
  });
}
