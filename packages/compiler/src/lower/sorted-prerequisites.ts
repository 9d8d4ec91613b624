import { canonicalJson, type ExactJson } from '@millforge/contracts';
import type { HarnessAlternatives, HarnessNode, HarnessPrerequisite } from '../harness-source.ts';

/** Prerequisites sorted by node, their matches by both arguments; alternatives come last. */
export function toSortedPrerequisites(
  written: HarnessNode['prerequisites'],
): readonly (HarnessPrerequisite | HarnessAlternatives)[] {
  const plain: HarnessPrerequisite[] = [];
  const groups: HarnessAlternatives[] = [];
  for (const item of written) {
    if ('any_of' in item)
      groups.push({ any_of: item.any_of.map(withSortedMatches).toSorted(byNode) });
    else plain.push(withSortedMatches(item));
  }
  return [
    ...plain.toSorted(byNode),
    ...groups.toSorted(
      (left, right) =>
        compare(left.any_of[0]?.node_id ?? '', right.any_of[0]?.node_id ?? '') ||
        compare(textOf(left), textOf(right)),
    ),
  ];
}

function withSortedMatches({ node_id, argument_matches }: HarnessPrerequisite) {
  return {
    node_id,
    argument_matches: argument_matches.toSorted(
      (left, right) =>
        compare(left.prior_argument, right.prior_argument) ||
        compare(left.current_argument, right.current_argument),
    ),
  };
}

function byNode(left: HarnessPrerequisite, right: HarnessPrerequisite): number {
  return compare(left.node_id, right.node_id);
}

function textOf(group: HarnessAlternatives): string {
  // Plain data by construction; interfaces have no index signature.
  return canonicalJson(group as object as ExactJson);
}

/** Ids are ASCII, so the order of code units is the order of code points. */
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
