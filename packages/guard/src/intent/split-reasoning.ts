/** A text, and the reasoning that stood in it. */
export interface SplitText {
  /** What was said aloud; null when nothing was. */
  readonly content: string | null;
  /** What was thought in tags; null when there were none. */
  readonly reasoning: string | null;
  /** Whether the thought was never ended. */
  readonly isOpen: boolean;
}

/**
 * Takes the thinking of a model out of its text, where a server left it there.
 *
 * Only what begins the text, and a thought whose beginning the template had: a tag in the middle of a text
 * is part of that text. A text without thoughts stays as it is, to the last space.
 */
export function splitReasoning(text: string | null): SplitText {
  if (text === null) return { content: null, reasoning: null, isOpen: false };
  const thoughts: string[] = [];
  let at = 0;
  let isOpen = false;
  for (;;) {
    OPENING.lastIndex = at;
    const opening = OPENING.exec(text);
    if (opening === null) break;
    const closing = closingOf(opening[0].trim());
    const from = at + opening[0].length;
    const end = text.indexOf(closing, from);
    if (end < 0) {
      thoughts.push(text.slice(from));
      at = text.length;
      isOpen = true;
      break;
    }
    thoughts.push(text.slice(from, end));
    at = end + closing.length;
  }
  if (thoughts.length === 0) {
    const orphan = ORPHAN_END.exec(text.slice(0, MAX_THOUGHT));
    if (orphan !== null && !text.slice(0, orphan.index).includes('```')) {
      thoughts.push(text.slice(0, orphan.index));
      at = orphan.index + orphan[0].length;
    }
  }
  if (thoughts.length === 0) return { content: textOf(text), reasoning: null, isOpen: false };
  return { content: textOf(text.slice(at).trim()), reasoning: thoughts.join('\n').trim(), isOpen };
}

/** `</think>` of `<think>`, and the token that ends every message of gpt-oss. */
function closingOf(opening: string): string {
  return opening.endsWith('|>') ? '<|end|>' : `${opening.slice(0, 1)}/${opening.slice(1)}`;
}

/** Blank text is none. */
function textOf(text: string): string | null {
  return text.trim() === '' ? null : text;
}

const OPENING =
  /\s*(?:<(?:think|thinking|thought|reasoning)>|\[THINK\]|(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>)/y;
/** An end without a beginning, alone at the end of its line. */
const ORPHAN_END = /(?:^|\n|[.!?])[ \t]*(?:<\/think(?:ing)?>|\[\/THINK\])[ \t]*(?:\r?\n|$)/;
const MAX_THOUGHT = 1_000_000;
