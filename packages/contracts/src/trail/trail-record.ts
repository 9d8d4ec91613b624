import type { JsonValue } from '../json/json-value.ts';

/** One entry of a goal's append-only, chained record. */
export interface TrailRecord {
  /** Position in the goal, from 1, without gaps. */
  readonly seq: number;
  /** UTC time with milliseconds; never earlier than the record before. */
  readonly at: string;
  /** What happened, noun-verb: `operation-recorded`. */
  readonly type: string;
  /** Who caused it. */
  readonly actor: string;
  /** Details, redacted, at most 64 KiB. */
  readonly data: JsonValue;
  /** Digest of the record before; 64 zeros for the first. */
  readonly previous_sha256: string;
  /** Digest of this record, tenant and goal included. */
  readonly record_sha256: string;
}
