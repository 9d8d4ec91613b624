import type { CapabilityConstraints, CapabilityGrant, Diagnostic } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import type { ResolvedHarness } from '../resolve/resolved-harness.ts';

/** Checks that constraints are of capabilities which some tool needs, and stay inside what was granted. */
export function checkConstraints(
  harness: ResolvedHarness,
  needed: readonly string[],
  grants: readonly CapabilityGrant[],
): readonly Diagnostic[] {
  const isResolved = harness.nodes.every((node) => node.tool !== null);
  const nearest = nearestName(needed);
  const granted = new Map(grants.map((grant) => [grant.capabilityId, grant.constraints ?? {}]));
  return (harness.source.capability_constraints ?? []).flatMap((item, index) => {
    const { capability_id, constraints } = item;
    const path = `/capability_constraints/${index}`;
    const found: Diagnostic[] = [];
    // A tool that did not resolve may be the one that needs it.
    if (isResolved && !needed.includes(capability_id)) {
      const hint =
        didYouMean(nearest(capability_id)) ||
        (needed.length === 0
          ? 'The tools need no capabilities: remove it.'
          : `The tools need ${quoted(needed)}.`);
      const place = { path: `${path}/capability_id`, hint };
      found.push(report.constraintWithoutNeed({ ...place, fields: { capability_id } }));
    }
    const limits = granted.get(capability_id) ?? {};
    for (const excess of findExcess(constraints, limits)) {
      found.push(
        report.constraintExceedsGrant({
          path: `${path}/constraints${excess.pointer}`,
          hint: 'Keep to what the grant names, entry by entry, or have more granted.',
          fields: { capability_id, constraint: excess.name },
        }),
      );
    }
    return found;
  });
}

interface Excess {
  readonly name: string;
  readonly pointer: string;
}

/** Inclusion is literal: whether one glob covers another is not judged. */
function findExcess(
  stated: CapabilityConstraints,
  granted: CapabilityConstraints,
): readonly Excess[] {
  const lists = LISTS.flatMap((name): readonly Excess[] => {
    const allowed = granted[name];
    const index = (stated[name] ?? []).findIndex((entry) => allowed?.includes(entry) === false);
    return index < 0 ? [] : [{ name, pointer: `/${name}/${index}` }];
  });
  const bytes = stated.max_bytes ?? 0;
  return bytes > (granted.max_bytes ?? Number.POSITIVE_INFINITY)
    ? [...lists, { name: 'max_bytes', pointer: '/max_bytes' }]
    : lists;
}

const LISTS = ['paths', 'hosts', 'commands'] as const;
