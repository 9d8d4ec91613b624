import type { DevelopResult } from '../port/develop-port.ts';
import { printHold } from './render-result.ts';
import { type TextSink, writeLine } from './terminal.ts';
import { type PlacedGoal, waysOn } from './ways-on.ts';

/** Prints what a development came to, for a person. */
export function printDevelopResult(
  sink: TextSink,
  result: DevelopResult,
  { workspace, ...place }: Omit<PlacedGoal, 'goalId'> & { readonly workspace: string },
): void {
  const { goal_id, handoff, message, patch, status } = result;
  writeLine(sink, headline(result));
  // What a held one waits for is said by its holds.
  if (message !== null && status !== 'held') writeLine(sink, `  ${message}`);
  for (const { round, verify, health, criteria } of handoff.verdicts) {
    const failed = criteria.filter(({ passed }) => !passed).map(({ name }) => name);
    const detail = failed.length === 0 ? '' : `, failed: ${failed.join(', ')}`;
    writeLine(sink, `  round ${round}: verify ${verify}, health ${health ?? 'not run'}${detail}`);
  }
  for (const gap of handoff.gaps) writeLine(sink, `  gap: ${gap}`);
  if (patch !== null && handoff.patch !== null) {
    const { files } = handoff.patch;
    writeLine(sink, `  patch ${patch} (${files} ${files === 1 ? 'file' : 'files'})`);
    if (status === 'success') {
      writeLine(sink, `  review it, then: git -C ${quoted(workspace)} apply ${quoted(patch)}`);
    }
  }
  const ways = waysOn('development', { goalId: goal_id, ...place });
  for (const hold of result.holds) printHold(sink, hold, ways);
  if (isOpen(result)) writeLine(sink, `  go on with: ${ways.goOn}`);
  if (isWithoutModel(result)) writeLine(sink, `  ${ways.anew}`);
  writeLine(sink, `  development ${goal_id}, trail ${result.trail_path}`);
}

/** A model that stays away fails the command, and interrupts the development, as `runs` says it. */
function headline(result: DevelopResult): string {
  if (result.status === 'success') return 'success: every criterion passed';
  return isWithoutModel(result) ? 'interrupted' : result.status;
}

function isWithoutModel(result: DevelopResult): boolean {
  return result.status === 'failed' && isOpen(result);
}

function isOpen({ handoff }: DevelopResult): boolean {
  return !ENDED.has(handoff.goal.state);
}

/** A path that can be pasted into a shell. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
