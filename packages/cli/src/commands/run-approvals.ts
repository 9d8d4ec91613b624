import { SIDE_EFFECT_CLASSES, type SideEffectClass } from '@millforge/contracts';
import type { ApprovalPolicy } from '@millforge/registry';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { usageError } from '../cli-error.ts';

/**
 * Reads the side-effect classes of `--approve`.
 *
 * @throws `cli/usage` naming the classes there are.
 */
export function approvedClasses(args: ParsedArguments): readonly SideEffectClass[] {
  return args.list('approve').map((given) => {
    const found = SIDE_EFFECT_CLASSES.find((name) => name === given);
    if (found !== undefined) return found;
    throw usageError(
      `--approve must be one of ${SIDE_EFFECT_CLASSES.join(', ')}; it was '${given.slice(0, 40)}'.`,
    );
  });
}

/** The policy of a run: what was approved by class first, then the configuration; what is left is asked about. */
export function runApprovals(
  approved: readonly SideEffectClass[],
  configured: ApprovalPolicy | null,
): ApprovalPolicy {
  return {
    required: 'ask',
    kind: 'approval_policy',
    schema_version: '1.0',
    ...configured,
    rules: [
      ...(approved.length === 0 ? [] : [{ effects: [...approved], verdict: 'approve' } as const]),
      ...(configured?.rules ?? []),
    ],
  };
}
