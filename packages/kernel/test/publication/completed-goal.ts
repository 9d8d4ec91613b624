import { digest, type JsonValue } from '@millforge/contracts';
import type { GoalContract, Kernel } from '@millforge/kernel';
import type { PublicationRequest } from '@millforge/kernel/publication';
import { crashScope } from '../crash/finish-goal.ts';

/** What the goals of these tests give. */
export const OUTPUT: JsonValue = {
  kind: 'run_outcome',
  schema_version: '1.0',
  status: 'success',
  terminal_result: 'TASK_DONE',
  summary: 'The test passes.',
};

/** Digest of what they give. */
export const OUTPUT_SHA256 = digest(OUTPUT);

/** A request to publish it. */
export function request(more: Partial<PublicationRequest> = {}): PublicationRequest {
  return {
    policy: 'release-1',
    revision: 'r1',
    action: { publisher: 'test', target: 'somewhere' },
    payloadSha256: OUTPUT_SHA256,
    ...more,
  };
}

/** Completes a goal that gives `OUTPUT`. */
export async function complete(kernel: Kernel, goalId: string): Promise<void> {
  await kernel.admitGoal(crashScope, contractOf(goalId));
  const adapters = [{ ...MAKER, run: async () => OUTPUT }];
  await kernel.runGoal(crashScope, goalId, { adapters }).done;
}

function contractOf(goalId: string): GoalContract {
  return {
    kind: 'goal_contract',
    schema_version: '1.0',
    goal_id: goalId,
    objective: 'Mend the failing test.',
    inputs: { text: 'hello' },
    required_checks: ['terminal-outcome'],
    legal_terminal_results: ['TASK_DONE'],
    tasks: [{ task_id: 'run', adapter: MAKER, doubt: 'operation', effect: 'external' }],
  };
}

const MAKER = { kind: 'model', name: 'maker', version: '1', parameters: null } as const;
