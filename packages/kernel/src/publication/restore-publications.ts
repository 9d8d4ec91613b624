import type { Transaction } from '../sqlite/database.ts';
import { appendRecord, changed, type RowChange } from '../store/append-record.ts';
import type { GoalRow } from '../store/goal-row.ts';
import { importedAt } from '../store/refuse-imported.ts';
import { type PublicationRow, readPublications } from './publication-row.ts';

/**
 * Takes the approvals of a restored goal back, and calls unknown what was on its way: what was sent after the backup
 * was made is not known in the copy, and nobody there can look at who sends it.
 */
export function restorePublications(tx: Transaction, goal: GoalRow, actor: string): GoalRow {
  if (importedAt(tx, goal) !== null) return goal;
  const changes = readPublications(tx, goal).flatMap((publication) =>
    restored(publication, { actor, at: goal.at }),
  );
  if (changes.length === 0) return goal;
  return appendRecord(tx, goal, { type: 'publications-restored', actor, changes });
}

function restored(
  { publication_id, state, is_restored }: PublicationRow,
  { actor, at }: { readonly actor: string; readonly at: string },
): readonly RowChange[] {
  const about = {
    publication_id,
    is_restored: 1,
    reason: 'restored',
    ended_by: actor,
    ended_at: at,
  };
  if (state === 'approved') {
    const message = 'This comes from a backup; the approval may have been used after it was made.';
    return [changed('publications', { ...about, state: 'revoked', message })];
  }
  if ((state !== 'sending' && state !== 'unknown') || is_restored) return [];
  const message = 'This comes from a backup; nobody here can look at the process that sends it.';
  return [changed('publications', { ...about, state: 'unknown', message })];
}
