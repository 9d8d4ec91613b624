import type { JsonObject, JsonValue, Operation, Reconciliation } from '@millforge/contracts';
import type { OwnerView } from '../goal-view.ts';
import type { Note } from '../store/append-notes.ts';
import type { OperationRow } from '../store/operation-row.ts';
import type { Payload } from '../store/payloads.ts';
import type { OperationDraft, OperationWrite } from '../store/write-operation.ts';
import type { Act } from './act.ts';
import type { LogParts } from './log-parts.ts';

/** An operation that is performed now. */
export interface LiveRequest {
  readonly operation: Operation;
  readonly act: Act<JsonValue>;
  readonly part: Payload;
  readonly inputSha256: string;
  /** What an earlier performance left. */
  readonly row: OperationRow | null;
  /** Decisions that go with the next write. */
  readonly takeNotes: () => readonly Note[];
  /** Takes decisions back whose write came to nothing. */
  readonly giveBack: (notes: readonly Note[]) => void;
}

/** A performance in progress. */
export interface Live {
  readonly parts: LogParts;
  readonly request: LiveRequest;
  /** Redacted line for a person. */
  readonly describe: string;
  /** The row as last written. */
  row: OperationRow | null;
  readonly generation: number;
}

/** The process that began a performance. */
export interface FormerOwner {
  readonly view: OwnerView;
  readonly isAlive: boolean;
  /** Whether its act may still have an effect. */
  readonly mayStillAct: boolean;
}

/** What looking said, and how it is told. */
export interface Looked {
  readonly answer: Reconciliation;
  /** Null when there was no way to look. */
  readonly facts: JsonObject | null;
}

/** What becomes of an operation without a known outcome. */
export type DoubtAnswer =
  | { readonly kind: 'happened'; readonly value: Payload; readonly found: JsonValue }
  | { readonly kind: 'held' }
  | {
      readonly kind: 'again';
      /** Whether an earlier performance may have had its effect. */
      readonly mayHaveHappened: boolean;
      /** What looking found, for the record of the repetition. */
      readonly facts?: JsonObject;
    };

/** What a write of this operation is given. */
export function writeOf(live: Live, before: Payload | null): OperationWrite {
  const { parts, request } = live;
  const draft: OperationDraft = {
    operation: request.operation,
    describe: live.describe,
    part: request.part,
    inputSha256: request.inputSha256,
    row: live.row,
    generation: live.generation,
    before,
  };
  return {
    draft,
    notes: request.takeNotes(),
    elapsedMs: parts.control.elapsedMs(),
    now: parts.clock.now(),
  };
}
