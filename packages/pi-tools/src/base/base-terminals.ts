import { DISPOSITIONS, type Disposition, isTerminalResult, sha256 } from '@millforge/contracts';
import { invalidOption } from './invalid-option.ts';

/** One way in which a run of the base harness may end. */
export interface BaseTerminal {
  /** Result that the caller handles: `[A-Z][A-Z0-9_]{0,127}`. */
  readonly result: string;
  /** What that end means. It is declared: no name is read for it. */
  readonly disposition: Disposition;
}

/** A terminal with the tool that ends a run there. */
export interface TerminalChoice extends BaseTerminal {
  /** Name shown to the model, and id of the node. */
  readonly name: string;
  /** Id of the tool behind `builtin.pi_compat.`. */
  readonly idEnd: string;
}

/**
 * Finds the tools of a vocabulary, sorted by result: `submit`, `block` and `reject` for the usual three
 * results with their usual meaning, `terminal_<token>` for every other vocabulary.
 *
 * @throws `pi-tools/invalid-option` for an empty, repeated, misspelt or too long list.
 */
export function chooseTerminals(
  terminals: readonly BaseTerminal[] = DEFAULT_TERMINALS,
): readonly TerminalChoice[] {
  const sorted = terminals.toSorted((a, b) => (a.result < b.result ? -1 : 1));
  check(sorted);
  if (isDefault(sorted)) {
    return sorted.flatMap((terminal) => {
      const name = DEFAULT_NAMES.get(terminal.result);
      return name === undefined ? [] : [{ ...terminal, name, idEnd: name }];
    });
  }
  const choices = sorted.map(({ result, disposition }) => {
    const token = tokenOf(result);
    return { result, disposition, name: `terminal_${token}`, idEnd: `terminal.${token}` };
  });
  const names = new Set(choices.map(({ name }) => name));
  if (names.size < choices.length) {
    throw invalidOption('Two terminal results give one tool name; rename one of them.');
  }
  return choices;
}

/** The vocabulary when nobody gives another. */
export const DEFAULT_TERMINALS: readonly BaseTerminal[] = Object.freeze([
  Object.freeze({ result: 'BLOCKED', disposition: 'blocked' }),
  Object.freeze({ result: 'COMPLETE', disposition: 'success' }),
  Object.freeze({ result: 'REJECTED', disposition: 'rejected' }),
]);

function check(terminals: readonly BaseTerminal[]): void {
  if (terminals.length === 0 || terminals.length > MAX_TERMINALS) {
    throw invalidOption(`There must be 1 to ${MAX_TERMINALS} terminals, not ${terminals.length}.`);
  }
  for (const [index, { result, disposition }] of terminals.entries()) {
    if (!isTerminalResult(result)) {
      throw invalidOption(
        `A terminal result must be like TASK_DONE; it was '${result.slice(0, 40)}'.`,
      );
    }
    if (!DISPOSITIONS.includes(disposition)) {
      throw invalidOption(
        `The terminal ${result} must have a disposition of ${DISPOSITIONS.join(', ')}; it was '${disposition.slice(0, 40)}'.`,
      );
    }
    if (terminals[index + 1]?.result === result) {
      throw invalidOption(`The terminal result ${result} is given twice; give it once.`);
    }
  }
}

function isDefault(sorted: readonly BaseTerminal[]): boolean {
  return (
    sorted.length === DEFAULT_TERMINALS.length &&
    sorted.every(({ result, disposition }, index) => {
      const usual = DEFAULT_TERMINALS[index];
      return usual?.result === result && usual.disposition === disposition;
    })
  );
}

// A token is a part of a tool id, in which underscores neither end a word nor stand side by side.
function tokenOf(result: string): string {
  const lower = result.toLowerCase();
  const plain = lower.replaceAll(/_+/g, '_').replace(/_$/, '');
  if (lower === plain && plain.length <= MAX_TOKEN) return plain;
  return `${plain.slice(0, KEPT).replace(/_$/, '')}_${sha256(result).slice(0, 8)}`;
}

const DEFAULT_NAMES: ReadonlyMap<string, string> = new Map([
  ['BLOCKED', 'block'],
  ['COMPLETE', 'submit'],
  ['REJECTED', 'reject'],
]);
const MAX_TERMINALS = 64;
const MAX_TOKEN = 48;
const KEPT = 39;
