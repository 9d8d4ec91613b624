import {
  digest,
  type JsonValue,
  MillforgeError,
  type Operation,
  type OperationOutcome,
  operationSuspended,
  type TrailSink,
  unreachable,
} from '@millforge/contracts';
import { kernelError } from '../kernel-error.ts';
import type { Note } from '../store/append-notes.ts';
import type { Claim } from '../store/claim.ts';
import type { OperationRow } from '../store/operation-row.ts';
import type { OperationStore } from '../store/operation-store.ts';
import type { Act } from './act.ts';
import { checkOperation } from './check-operation.ts';
import { holdDivergence } from './hold-divergence.ts';
import type { LogParts } from './log-parts.ts';
import { createNoteBuffer } from './note-buffer.ts';
import { performLive } from './perform-live.ts';
import { createReplayIndex, type Difference } from './replay-index.ts';
import type { RunControl } from './run-control.ts';
import { readFailure } from './settle-act.ts';
import { suspendedBy, suspendReason } from './suspended-by.ts';

/** The durable form of an operation log. */
export interface DurableLog {
  perform<T extends JsonValue>(operation: Operation<T>, act: Act<T>): Promise<OperationOutcome<T>>;
  readonly append: TrailSink['append'];
  readonly newId: (key: string) => string;
  /** Whether a replay gives the outcome of that key without performing it. */
  readonly isRecorded: (key: string) => boolean;
  /** Decisions that no operation has taken along yet. */
  takeNotes(): readonly Note[];
  /** What the record has that was not asked for, when the program ends here. */
  endDifference(): Difference | null;
  /** Ends it with its program: whatever still runs on performs nothing any more. */
  close(): void;
}

/** Makes the log of an attempt from what its task recorded before. */
export function createDurableLog(
  parts: LogParts,
  recorded: { readonly rows: readonly OperationRow[]; readonly notes: ReadonlyMap<string, string> },
): DurableLog {
  const { claim, control } = parts;
  const index = createReplayIndex(recorded.rows);
  const notes = createNoteBuffer(recorded.notes, parts.redactor);
  const anew = performedAnew(recorded.rows, claim.number);
  const known = new Map(recorded.rows.map((row) => [row.key, row.state]));
  const inFlight = new Set<string>();
  const performed = new Set<string>();
  let isClosed = false;

  /** Rejects whatever comes after the end, with the reason of the end. */
  const refuseWhenClosed = (): void => {
    const closing = control.closing();
    if (closing !== null) throw suspendedBy(closing);
    if (isClosed) throw operationSuspended('stopped');
  };

  const diverge = async (difference: Difference): Promise<never> => {
    await holdDivergence(parts, difference);
    control.close('held');
    throw operationSuspended('held');
  };

  const perform = async (operation: Operation, act: Act<JsonValue>): Promise<OperationOutcome> => {
    const found = index.ask(operation);
    if (found.kind === 'diverged') return diverge(found.difference);
    const lost = notes.difference();
    if (lost !== null) return diverge(lost);
    const { operations } = parts.store;
    const isAgain = performed.has(operation.key);
    const left = found.kind === 'known' ? found.row : null;
    const row = isAgain ? await operations.find(claim, operation.key) : left;
    if (row?.state === 'recorded' && (isAgain || !anew.has(row.key))) {
      return replay(operations, claim, row);
    }
    const difference = index.liveDifference(operation);
    if (difference !== null) return diverge(difference);
    // Awaited here, since to give a promise out of an async function takes three turns where this takes one.
    return await performLive(parts, {
      operation,
      act,
      part: found.part,
      inputSha256: found.inputSha256,
      row,
      takeNotes: notes.take,
      giveBack: notes.giveBack,
    });
  };

  const isRecorded = (key: string): boolean => known.get(key) === 'recorded' && !anew.has(key);

  const watched: typeof perform = (operation, act) =>
    parts.watch === null
      ? perform(operation, act)
      : parts.watch.operation({ operation, isReplayed: isRecorded(operation.key) }, act, perform);

  return {
    async perform<T extends JsonValue>(operation: Operation<T>, act: Act<T>) {
      refuseWhenClosed();
      checkOperation(operation);
      const { key } = operation;
      if (inFlight.has(key)) throw askedTwice(key);
      inFlight.add(key);
      const leave = control.enter();
      try {
        // What is recorded under this key was given by an act of the same operation, so it has its type.
        return (await watched(operation, act)) as OperationOutcome<T>;
      } catch (error) {
        throw settleRejection(control, error);
      } finally {
        inFlight.delete(key);
        performed.add(key);
        leave();
      }
    },
    append: notes.append,
    newId: (key) => digest({ goal_uid: claim.goalUid, task_id: claim.taskId, key }).slice(0, 32),
    isRecorded,
    takeNotes: notes.take,
    endDifference: () => index.endDifference() ?? notes.difference(),
    close() {
      isClosed = true;
    },
  };
}

function askedTwice(key: string): MillforgeError {
  return kernelError(
    'kernel/operation-invalid',
    `The operation ${key.slice(0, 64)} is being performed already; a key names one operation.`,
  );
}

/** Whatever ends an operation without an outcome ends the run; a failure of the store is no failure of the program. */
function settleRejection(control: RunControl, error: unknown): unknown {
  if (MillforgeError.is(error, 'kernel/operation-invalid')) return error;
  if (!MillforgeError.is(error, 'operation/suspended')) {
    control.fail(error);
    return operationSuspended('stopped');
  }
  const reason = suspendReason(error);
  if (reason === 'lease-lost' || reason === 'cancelled') control.abort(reason);
  return error;
}

/** What was recorded, read from its bytes and handed out as it was the first time. */
async function replay(
  operations: OperationStore,
  { tenant }: Pick<Claim, 'tenant'>,
  row: OperationRow,
): Promise<OperationOutcome> {
  const value = await operations.payload(tenant, {
    sha256: row.outcome_sha256 ?? '',
    json: row.outcome_json,
  });
  switch (row.outcome) {
    case 'failed':
      return { kind: 'failed', error: readFailure(value), replayed: true };
    case 'refused':
      return { kind: 'refused', reason: readFailure(value), replayed: true };
    case 'done':
    case null:
      return { kind: 'done', value, replayed: true };
    default:
      return unreachable(row.outcome, 'outcome');
  }
}

/** What the attempt before left recorded without being done, in its last step: this one performs it anew. */
function performedAnew(rows: readonly OperationRow[], number: number): ReadonlySet<string> {
  const earlier = rows.filter((row) => row.attempt < number && row.state === 'recorded');
  const lastStep = Math.max(...earlier.map(({ step }) => step));
  return new Set(
    earlier
      .filter(({ step, outcome }) => step === lastStep && outcome !== 'done')
      .map(({ key }) => key),
  );
}
