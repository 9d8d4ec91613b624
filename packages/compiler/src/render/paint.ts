/** Colours text for a terminal, or leaves it as it is. */
export interface Paint {
  /** What is wrong: the mark below a place, an error. */
  readonly mark: (text: string) => string;
  /** What is doubtful: a warning. */
  readonly warn: (text: string) => string;
  /** What stands out. */
  readonly strong: (text: string) => string;
  /** What helps. */
  readonly help: (text: string) => string;
  /** What stands back. */
  readonly dim: (text: string) => string;
}

/** Paint in colour, or none. */
export function paintFor(isColoured: boolean): Paint {
  return isColoured ? COLOURED : PLAIN;
}

function code(start: number, end: number): (text: string) => string {
  return (text) => `\u001b[${start}m${text}\u001b[${end}m`;
}

const asIs = (text: string): string => text;
const PLAIN: Paint = { mark: asIs, warn: asIs, strong: asIs, help: asIs, dim: asIs };
const COLOURED: Paint = {
  mark: code(31, 39),
  warn: code(33, 39),
  strong: code(1, 22),
  help: code(36, 39),
  dim: code(2, 22),
};
