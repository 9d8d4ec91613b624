import type { Redactor, TrailSink } from '@millforge/contracts';
import { kernelError } from '../kernel-error.ts';
import { type Note, noteSha256 } from '../store/append-notes.ts';
import { isWellFormed } from '../store/well-formed-text.ts';
import type { Difference } from './replay-index.ts';

/** Decisions that wait for the transaction of the next operation. */
export interface NoteBuffer {
  readonly append: TrailSink['append'];
  /** Gives what waits, and forgets it. */
  readonly take: () => readonly Note[];
  /** Takes back what was not written after all. */
  readonly giveBack: (notes: readonly Note[]) => void;
  /** The first append that differs from the record, if any. */
  difference(): Difference | null;
}

/** Makes a buffer that knows what was appended before: key and digest. */
export function createNoteBuffer(
  recorded: ReadonlyMap<string, string>,
  redactor: Redactor,
): NoteBuffer {
  const known = new Map(recorded);
  let waiting: Note[] = [];
  let difference: Difference | null = null;
  return {
    append({ key, step, type, data }) {
      if (!TYPE.test(type) || OWN_TYPES.has(type)) {
        throw kernelError(
          'kernel/operation-invalid',
          `A decision cannot be appended as ${type.slice(0, 64)}; use lower-case words joined by hyphens, and none of the types that the kernel writes.`,
        );
      }
      if (typeof key !== 'string' || key === '' || !isWellFormed(key)) {
        throw kernelError(
          'kernel/operation-invalid',
          `A decision of type ${type} has no name; give it a key of whole characters.`,
        );
      }
      const plain = redactor.value(data);
      const sha256 = noteSha256({ step, type, data: plain });
      const before = known.get(key);
      if (before === sha256) return;
      if (before !== undefined) {
        difference ??= { key, what: 'a decision differs', recorded: before, asked: sha256 };
        return;
      }
      known.set(key, sha256);
      waiting.push({ key, step, type, data: plain, sha256 });
    },
    take() {
      const notes = waiting;
      waiting = [];
      return notes;
    },
    giveBack(notes) {
      waiting = [...notes, ...waiting];
    },
    difference: () => difference,
  };
}

const TYPE = /^[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*$/;

/** What only the kernel writes, so that no program can tell a story that did not happen. */
const OWN_TYPES: ReadonlySet<string> = new Set([
  'artifact-saved',
  'attempt-admitted',
  'attempt-attested',
  'attempt-begun',
  'attempt-doubted',
  'attempt-failed',
  'attempt-reconciled',
  'attempt-resumed',
  'attempt-suspended',
  'attempt-taken-over',
  'goal-admitted',
  'goal-cancelled',
  'goal-checked',
  'hold-decided',
  'hold-opened',
  'operation-admitted',
  'operation-attested',
  'operation-doubted',
  'operation-proposed',
  'operation-readmitted',
  'operation-reconciled',
  'operation-recorded',
  'result-recorded',
  'result-refused',
  'trail-imported',
]);
