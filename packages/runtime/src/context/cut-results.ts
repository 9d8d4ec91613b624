import { type ContextResult, type ContextTurn, contextTurn } from './context-turn.ts';
import { lostFacts } from './find-facts.ts';

/** Characters of a result that the first rung leaves. */
export const KEPT_CHARS = 200;

/**
 * Shortens the results of a turn; every call keeps its result message.
 *
 * Level 1 leaves the first 200 characters and says how many are gone, level 2 leaves one line. Values
 * that later calls used are repeated behind it. A result that would not become shorter stays.
 */
export function cutResults(
  turn: ContextTurn,
  level: 1 | 2,
  usedLater: ReadonlySet<string>,
): ContextTurn {
  if (turn.level >= level) return turn;
  const results = turn.results.map((result) => cutResult(result, level, usedLater));
  const isSame = results.every((result, index) => result === turn.results[index]);
  if (isSame) return { ...turn, level };
  return contextTurn({ ...turn, results, level }, turn);
}

/** Takes the images out of the results of a turn; their texts stay, and say so. */
export function dropImages(turn: ContextTurn): ContextTurn {
  if (turn.results.every(({ message }) => message.images === undefined)) return turn;
  return contextTurn({ ...turn, results: turn.results.map(withoutImages) }, turn);
}

function withoutImages(result: ContextResult): ContextResult {
  const { images, ...message } = result.message;
  if (images === undefined) return result;
  const gone = images.length === 1 ? '[image removed]' : `[${images.length} images removed]`;
  const content = `${message.content}\n${gone}`;
  return { ...result, message: Object.freeze({ ...message, content }) };
}

function cutResult(
  result: ContextResult,
  level: 1 | 2,
  usedLater: ReadonlySet<string>,
): ContextResult {
  const { message, chars } = result;
  const { content } = message;
  const kept = level === 1 ? headOf(content, KEPT_CHARS) : codeOf(content);
  const facts = mergeFacts(result.facts, lostFacts(content, kept, usedLater));
  const gone =
    level === 1
      ? `\n[cut: ${chars - kept.length} of ${chars} characters removed${factList(facts)}]`
      : `[result removed: ${chars} characters${factList(facts)}]`;
  const shorter = `${kept}${gone}`;
  if (shorter.length >= content.length) return result;
  return {
    message: Object.freeze({ ...message, content: shorter }),
    chars,
    facts,
  };
}

/** Facts in their order, each once, the latest when they are too many. */
export function mergeFacts(
  earlier: readonly string[],
  later: readonly string[],
): readonly string[] {
  return [...new Set([...earlier, ...later])].slice(-MAX_FACTS);
}

function factList(facts: readonly string[]): string {
  return facts.length === 0 ? '' : `; it named ${facts.join(', ')}`;
}

/** The beginning of a text, never half of a surrogate pair. */
export function headOf(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\ud800-\udbff]$/, '');
}

/** What the results of failed calls begin with: their code tells more than their length. */
function codeOf(content: string): string {
  return /^\[[a-z_]{1,40}\] /.exec(content)?.[0] ?? '';
}

const MAX_FACTS = 24;
