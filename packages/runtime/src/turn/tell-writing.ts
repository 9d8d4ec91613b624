import type { ModelDelta, Redactor } from '@millforge/contracts';
import { createTextRelease, type TextRelease } from '@millforge/guard/rescue';
import type { ModelWrote } from '../run-event.ts';
import type { Run } from '../run-state.ts';

/** Tells the listener of a run about a reply while it is written. */
export interface ToldWriting {
  /** Takes what the model client tells. */
  readonly onDelta: (delta: ModelDelta) => void;
  /** Lets nothing more through: what comes late belongs to a reply that nobody waits for. */
  readonly end: () => void;
}

/**
 * Makes the teller of one reply. Text that may be a call is held back, and what may begin a secret until it is
 * one or none; the event of the whole reply has what was held back.
 */
export function tellWriting(run: Run, turn: number): ToldWriting {
  let parts = freshParts(run);
  let isOver = false;
  const tell = (part: ModelWrote['part'], text: string, replaces = false): void => {
    parts[part].isShown = !replaces;
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
      const { release, redact } = parts[kind];
      const piece = redact(release === null ? text : release.push(text));
      if (piece !== '') tell(kind, piece);
    },
    end() {
      isOver = true;
    },
  };
}

interface Part {
  /** Holds back what may be a call; null where none is looked for. */
  readonly release: TextRelease | null;
  /** Takes the next piece and gives what may be shown. */
  readonly redact: (piece: string) => string;
  isShown: boolean;
}

function freshParts(run: Run): Readonly<Record<ModelWrote['part'], Part>> {
  const part = (release: TextRelease | null): Part => ({
    release,
    redact: redactionOf(run.options.redactor),
    isShown: false,
  });
  return { text: part(createTextRelease(run.tools)), reasoning: part(null) };
}

/** Without a redactor all is shown, as everywhere; with one that cannot tell what is settled, nothing. */
function redactionOf(redactor: Redactor | undefined): (piece: string) => string {
  if (redactor === undefined) return (piece) => piece;
  return redactor.stream?.() ?? (() => '');
}

const PARTS = ['text', 'reasoning'] as const;
