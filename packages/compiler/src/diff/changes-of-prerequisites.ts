import type { PlanNode, PlanPrerequisite } from '@millforge/contracts';
import { waysInto } from '../explain/plan-gates.ts';
import type { PlanChange } from './plan-diff.ts';

/** Finds what a step waits for differently; what says less than before adds risk, what says more does not. */
export function changesOfPrerequisites(before: PlanNode, after: PlanNode): readonly PlanChange[] {
  const [old, now] = [waysInto(before), waysInto(after)];
  const gone = old.filter((way) => !now.some((other) => isSameWay(way, other)));
  const added = now.filter((way) => !old.some((other) => isSameWay(way, other)));
  // A demand that another one holds at least as strictly is not lost with its words.
  const stricter = new Map(gone.map((way) => [way, strictest(way, added, now)]));
  const replacing = new Set(stricter.values());
  return [
    ...gone.map((way) => {
      const stead = stricter.get(way);
      if (stead === undefined) {
        return toChange(after, {
          change: 'prerequisite-removed',
          message: `no longer waits for ${wayText(way)}`,
          ways: [way, null],
        });
      }
      return toChange(after, {
        change: 'prerequisite-tighter',
        message: `waits for ${wayText(stead)}, which is more than ${wayText(way)}`,
        ways: [way, stead],
      });
    }),
    ...added
      .filter((way) => !replacing.has(way))
      .map((way) =>
        toChange(after, {
          change: 'prerequisite-added',
          message: `waits for ${wayText(way)}`,
          ways: [null, way],
        }),
      ),
  ];
}

/** Alternatives, one of which must have succeeded. */
type Way = readonly PlanPrerequisite[];

/** A demand that implies this one: of the new ones if it can be. */
function strictest(way: Way, added: readonly Way[], now: readonly Way[]): Way | undefined {
  return [...added, ...now].find((other) => implies(other, way));
}

function isSameWay(left: Way, right: Way): boolean {
  return implies(left, right) && implies(right, left);
}

/** Whether what satisfies the one demand satisfies the other too, whichever alternative it took. */
function implies(way: Way, other: Way): boolean {
  return way.every((item) => other.some((weaker) => isAtLeast(item, weaker)));
}

/** All arguments of one prerequisite agree with one success, so that more of them are only stricter. */
function isAtLeast(item: PlanPrerequisite, weaker: PlanPrerequisite): boolean {
  if (item.node_id !== weaker.node_id) return false;
  const known = new Set(matchTexts(item));
  return matchTexts(weaker).every((text) => known.has(text));
}

function matchTexts({ argument_matches: matches }: PlanPrerequisite): readonly string[] {
  return matches.map((match) => `${match.prerequisite_argument} = ${match.current_argument}`);
}

function wayText(way: Way): string {
  const texts = way.map((item) => {
    const equal = matchTexts(item);
    return equal.length === 0 ? item.node_id : `${item.node_id} with ${equal.join(', ')}`;
  });
  return texts.length === 1 ? (texts[0] ?? '') : `one of ${texts.join(' or ')}`;
}

function toChange(
  { node_id }: PlanNode,
  found: {
    readonly change: string;
    readonly message: string;
    readonly ways: readonly [before: Way | null, after: Way | null];
  },
): PlanChange {
  const [was, is] = found.ways;
  return {
    change: found.change,
    risk: is === null ? 'high' : 'none',
    path: `/nodes/${node_id}/prerequisites`,
    message: `The step ${node_id} ${found.message}.`,
    before: was === null ? null : wayText(was),
    after: is === null ? null : wayText(is),
  };
}
