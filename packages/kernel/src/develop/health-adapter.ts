import type { VerifyAdapter } from '../adapter.ts';
import { bindingOf } from './adapter-binding.ts';
import type { DevelopParts } from './develop-parts.ts';
import { readTerms } from './develop-terms.ts';
import { lookAtTrees } from './look-at-trees.ts';
import { digestsIn } from './read-outputs.ts';
import { planTasks } from './task-plan.ts';

/** Holds both trees against what `verify` judged. */
export function healthAdapter(parts: DevelopParts): VerifyAdapter {
  return {
    ...bindingOf('health', null),
    kind: 'verify',
    async run(context) {
      const terms = readTerms(context.inputs);
      const planned = planTasks(terms).find(({ taskId }) => taskId === context.taskId);
      const expected = digestsIn(context.outputs, planned?.previous ?? null);
      const look = { key: 'tree/now', step: 0, expected, allowed: null };
      const seen = await lookAtTrees(parts, context, { terms, look });
      return context.verdict(seen.violation_count === 0 ? 'pass' : 'fail', {
        evidence: {
          kind: 'develop_health',
          schema_version: '1.0',
          round: planned?.round ?? 0,
          candidate_sha256: seen.candidate_sha256,
          checks_sha256: seen.checks_sha256,
          violations: seen.violations,
        },
      });
    },
  };
}
