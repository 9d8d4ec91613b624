import type { ModelDelta } from '@millforge/contracts';
import { createTextRelease, type TextRelease } from '@millforge/guard/rescue';
import type { ModelWrote } from '../run-event.ts';
import type { Run } from '../run-state.ts';
import { type RedactedText, redactAsWritten } from './redact-as-written.ts';

/** Tells the listener of a run about a reply while it is written. */
export interface ToldWriting {
  /** Takes what the model client tells. */
  readonly onDelta: (delta: ModelDelta) => void;
  /** Lets nothing more through: what comes late belongs to a reply that nobody waits for. */
  readonly end: () => void;
}

/**
 * Makes the teller of one reply. Text that may be a call is held back, a word until it has ended, secrets are
 * replaced; the event of the whole reply has what was held back.
 */
export function tellWriting(run: Run, turn: number): ToldWriting {
  let parts = freshParts(run);
  let isOver = false;
  const tell = (part: ModelWrote['part'], text: string, replaces: boolean): void => {
    parts[part].isShown = text !== '';
    run.observer.emit({ kind: 'model-wrote', turn, replayed: false, part, text, replaces });
  };
  return {
    onDelta({ kind, text }) {
      if (isOver) return;
      if (kind === 'restart') {
        const shown = PARTS.filter((part) => parts[part].isShown);
        parts = freshParts(run);
        for (const part of shown) tell(part, '', true);
        return;
      }
      const { release, redacted } = parts[kind];
      const piece = redacted.push(release === null ? text : release.push(text));
      if (piece !== null) tell(kind, piece.text, piece.replaces);
    },
    end() {
      isOver = true;
    },
  };
}

interface Part {
  /** Holds back what may be a call; null where none is looked for. */
  readonly release: TextRelease | null;
  readonly redacted: RedactedText;
  isShown: boolean;
}

function freshParts(run: Run): Readonly<Record<ModelWrote['part'], Part>> {
  const part = (release: TextRelease | null): Part => ({
    release,
    redacted: redactAsWritten(run.redact),
    isShown: false,
  });
  return { text: part(createTextRelease(run.tools)), reasoning: part(null) };
}

const PARTS = ['text', 'reasoning'] as const;
