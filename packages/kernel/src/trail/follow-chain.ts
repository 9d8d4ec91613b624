import { canonicalJson, type JsonObject, type JsonValue } from '@millforge/contracts';
import { isKeptInGoal, NO_SHA256, recordSha256 } from '../store/append-record.ts';
import type { SqlRow } from '../store/sql-row.ts';
import type { Fold } from './fold-trail.ts';

/** Where a chain of records stands. */
export interface Chain {
  seq: number;
  sha256: string;
  at: string;
  goalUid: string | null;
  /** The last record that the row of the goal names. */
  kept: { readonly seq: number; readonly sha256: string; readonly at: string };
}

/** What does not hold, and at which record. */
export type Problem = { readonly seq: number; readonly what: string };

/** A chain without records. */
export function emptyChain(): Chain {
  return {
    seq: 0,
    sha256: NO_SHA256,
    at: '',
    goalUid: null,
    kept: { seq: 0, sha256: NO_SHA256, at: '' },
  };
}

/** Checks one record against the one before it, and folds it. */
export function followChain(
  chain: Chain,
  fold: Fold,
  { row, tenant }: { readonly row: SqlRow; readonly tenant: string },
): Problem | null {
  const seq = Number(row['seq']);
  const problem = (what: string): Problem => ({ seq: chain.seq + 1, what });
  if (seq !== chain.seq + 1) return problem(`record ${chain.seq + 1} is missing`);
  if (row['previous_sha256'] !== chain.sha256) {
    return problem('the record does not name the digest of the one before it');
  }
  const text = String(row['data']);
  const data = parse(text);
  if (data === undefined || canonicalJson(data, { newline: false }) !== text) {
    return problem('the data of the record is not in its canonical form');
  }
  chain.goalUid ??= goalUidOf(data);
  const at = String(row['at']);
  // The digest is taken over its text as it stands.
  if (!UTC_TIME.test(at)) return problem('the time of the record is none');
  if (at < chain.at) return problem('the record is older than the one before it');
  const digest = recordSha256({
    tenant,
    goal_uid: chain.goalUid ?? '',
    seq,
    at,
    type: String(row['type']),
    actor: String(row['actor']),
    data: text,
    previous_sha256: chain.sha256,
  });
  if (digest !== row['record_sha256']) {
    return problem('the digest of the record is not that of its content');
  }
  const unfolded = fold.apply({ type: String(row['type']), data });
  if (unfolded !== null) return problem(unfolded);
  chain.seq = seq;
  chain.sha256 = digest;
  chain.at = at;
  if (isObject(data) && isKeptInGoal(data)) chain.kept = { seq, sha256: digest, at };
  return null;
}

const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function isObject(data: JsonValue): data is JsonObject {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue; // JSON.parse gives nothing but JSON values.
  } catch {
    // A text that is no JSON is what the caller reports.
    return undefined;
  }
}

/** The first record says which goal it is. */
function goalUidOf(data: JsonValue): string | null {
  const goals = typeof data === 'object' && data !== null && 'goals' in data ? data['goals'] : null;
  const [first] = Array.isArray(goals) ? goals : [];
  return typeof first?.goal_uid === 'string' ? first.goal_uid : null;
}
