import type { GuardTool } from '../guard-tool.ts';
import { nameWords } from '../names/fold-name.ts';
import {
  ACTING_LANGUAGES,
  type ActingLanguage,
  type ActionKind,
  TOOL_WORDS,
} from './action-words.ts';

/**
 * Whether a text ends by announcing an action that one of the tools performs, and does not perform it.
 *
 * Built to miss rather than to accuse: the last sentence must say that the speaker acts now, with a verb that
 * fits a tool on offer, without a condition, a question, a later time, or an offer to the reader.
 */
export function announcesAction(text: string, tools: readonly GuardTool[]): boolean {
  const last = lastSentence(text);
  if (last === null || HEDGES.test(last)) return false;
  const offered = offeredKinds(tools);
  return LANGUAGES.some(({ pattern, soon }) => {
    const groups = pattern.exec(last)?.groups;
    if (groups === undefined) return false;
    const isNow = groups['begins'] !== undefined || soon.test(last) || GOES_ON.test(last);
    return isNow && KINDS.some((kind) => groups[kind] !== undefined && offered.has(kind));
  });
}

/** The last sentence of a text that ends in prose, in lower case; null when it is long or no prose. */
function lastSentence(text: string): string | null {
  const end = text.trimEnd();
  const paragraph = end.slice(end.lastIndexOf('\n') + 1).trim();
  if (paragraph === '' || NO_PROSE.test(paragraph)) return null;
  const parts = paragraph.slice(-MAX_SENTENCE * 2).split(/(?<=[.!?…])\s+|(?<=[。！？])/u);
  const last = parts.at(-1)?.trim().toLowerCase() ?? '';
  return last === '' || last.length > MAX_SENTENCE ? null : last;
}

function offeredKinds(tools: readonly GuardTool[]): ReadonlySet<ActionKind> {
  const known = KEPT.get(tools);
  if (known !== undefined) return known;
  const words = new Set(tools.flatMap((tool) => nameWords(tool.name)));
  const kinds = new Set<ActionKind>(tools.length === 0 ? [] : ['call']);
  for (const kind of KINDS) {
    if (TOOL_WORDS[kind].some((word) => words.has(word))) kinds.add(kind);
  }
  if (FINDING.some((kind) => kinds.has(kind))) kinds.add('look');
  KEPT.set(tools, kinds);
  return kinds;
}

function compile({ begins, intends, soon, between, verbs, isUnspaced }: ActingLanguage) {
  const groups = KINDS.flatMap((kind) =>
    verbs[kind] === undefined ? [] : [`(?<${kind}>${verbs[kind]})`],
  ).join('|');
  // Nothing but a few words may come before the announcement, such as `Okay, now`.
  const opening = isUnspaced === true ? '.{0,12}?' : `(?:[\\p{L}\\p{M}’']{1,16}[,!:]?\\s+){0,4}?`;
  const [space, edge] = isUnspaced === true ? ['', ''] : [' ', '(?![\\p{L}\\p{M}])'];
  const lead = `(?:(?<begins>${begins})|(?:${intends}))`;
  return {
    pattern: new RegExp(`^${opening}${lead}${between}${space}(?:${groups})${edge}`, 'u'),
    soon: new RegExp(isUnspaced === true ? soon : `(?<!\\p{L})(?:${soon})(?!\\p{L})`, 'u'),
  };
}

const KINDS: readonly ActionKind[] = [
  'read',
  'search',
  'list',
  'write',
  'run',
  'fetch',
  'look',
  'call',
];
const FINDING: readonly ActionKind[] = ['read', 'search', 'list', 'fetch'];
const LANGUAGES = ACTING_LANGUAGES.map(compile);
const KEPT = new WeakMap<readonly GuardTool[], ReadonlySet<ActionKind>>();
const MAX_SENTENCE = 240;
const GOES_ON = /(?:[:：…]|\.\.\.)$/u;
/** Lists, quotations, tables, code, and anything that closes a quotation. */
const NO_PROSE = /^(?:[-*+>|#`]|\d+[.)]\s)|["”»`|]$/u;

/** Conditions, questions, later times and offers: then somebody else moves first. */
const HEDGES = new RegExp(
  [
    '[?？]',
    String.raw`\b(?:if|unless|when|whenever|once|after|before|until|while|tomorrow|tonight|later|soon|someday|always|never|would|could|know|explain|think|remember|you)\b`,
    String.raw`\b(?:wenn|falls|sobald|nachdem|morgen|später|bald|immer|nie|würde|könnte|wissen|ihnen|dir|euch)\b`,
    String.raw`\b(?:si|quand|lorsque|dès|après|demain|plus tard|bientôt|toujours|jamais|vous|te)\b`,
    String.raw`\b(?:cuando|después|mañana|luego|pronto|siempre|nunca|te|usted)\b`,
    String.raw`\b(?:se|quando|depois|amanhã|mais tarde|sempre|você|lhe)\b`,
    String.raw`\b(?:dopo|domani|più tardi|presto|sempre|mai|ti|vi|lei)\b`,
    '如果|的话|明天|以后|之后|你|您|稍后|もし|たら|れば|明日|後で|あなた',
  ].join('|'),
  'u',
);
