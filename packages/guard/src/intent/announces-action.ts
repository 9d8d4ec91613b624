import type { GuardTool } from '../guard-tool.ts';
import { nameWords } from '../names/fold-name.ts';
import { ACTING_LANGUAGES, ACTION_KINDS, type ActionKind, TOOL_WORDS } from './action-words.ts';
import { anyPattern, anyWord } from './word-pattern.ts';

/**
 * Whether a text ends by announcing an action that one of the tools performs, and does not perform it.
 *
 * Built to miss rather than to accuse: the last sentence must say that the speaker acts now, with a verb that
 * fits a tool on offer, without a condition, a question, a later time, or an offer to the reader.
 */
export function announcesAction(text: string, tools: readonly GuardTool[]): boolean {
  const last = lastSentence(text);
  if (last === null || HEDGES.test(last) || !namesObject(last, tools)) return false;
  const offered = offeredKinds(tools);
  return LANGUAGES.some(({ pattern, soon }) => {
    const groups = pattern.exec(last)?.groups;
    if (groups === undefined) return false;
    const isNow = groups['begins'] !== undefined || soon.test(last) || GOES_ON.test(last);
    return isNow && ACTION_KINDS.some((kind) => groups[kind] !== undefined && offered.has(kind));
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

/** Whether a sentence speaks of a thing that tools work on, in general or by the words of these. */
function namesObject(sentence: string, tools: readonly GuardTool[]): boolean {
  if (OBJECTS.test(sentence)) return true;
  const words = new Set(sentence.split(/[^\p{L}]+/u));
  return tools.some(({ name }) =>
    nameWords(name).some((word) => word.length > 3 && !VERBS.has(word) && words.has(word)),
  );
}

function offeredKinds(tools: readonly GuardTool[]): ReadonlySet<ActionKind> {
  const known = KEPT.get(tools);
  if (known !== undefined) return known;
  const words = new Set(tools.flatMap((tool) => nameWords(tool.name)));
  const kinds = new Set<ActionKind>(tools.length === 0 ? [] : ['call']);
  for (const kind of ACTION_KINDS) {
    if (toolWords(kind).some((word) => words.has(word))) kinds.add(kind);
  }
  if (FINDING.some((kind) => kinds.has(kind))) kinds.add('look');
  KEPT.set(tools, kinds);
  return kinds;
}

function toolWords(kind: ActionKind): readonly string[] {
  return TOOL_WORDS[kind].split(' ');
}

function compile(language: string) {
  const [begins, intends, soon, between, verbs = '', spacing] = language.split('\n');
  const isUnspaced = spacing !== undefined;
  const kinds = verbs.split('/');
  const groups = ACTION_KINDS.map((kind, index) => `(?<${kind}>${kinds[index]})`).join('|');
  // Nothing but a few words may come before the announcement, such as `Okay, now`.
  const opening = isUnspaced ? '.{0,12}?' : `(?:[\\p{L}\\p{M}’']{1,16}[,!:]?\\s+){0,4}?`;
  const [space, edge] = isUnspaced ? ['', '(?!的)'] : [' ', '(?![\\p{L}\\p{M}])'];
  const lead = `(?:(?<begins>${begins})|(?:${intends}))`;
  return {
    pattern: new RegExp(`^${opening}${lead}${between}${space}(?:${groups})${edge}`, 'u'),
    soon: new RegExp(isUnspaced ? `${soon}` : `(?<!\\p{L})(?:${soon})(?!\\p{L})`, 'u'),
  };
}

const FINDING: readonly ActionKind[] = ['read', 'search', 'list', 'fetch'];
const LANGUAGES = ACTING_LANGUAGES.map(compile);
const KEPT = new WeakMap<readonly GuardTool[], ReadonlySet<ActionKind>>();
const VERBS = new Set(ACTION_KINDS.flatMap(toolWords));
/** Things that live in computers. Idioms have other objects: one reads a room, and looks from an angle. */
const OBJECTS = anyPattern(
  String.raw`[\w-]+\.[a-z]{1,4}\b|[\w.-]+/[\w./-]+|\w_\w`,
  anyWord(
    'files?|folders?|director(?:y|ies)|codebase|source code|logs?|tests?|pages?|websites?|web|records?|databases?|tables?|repos?|repositor(?:y|ies)|documents?|documentation|notes?|config|configuration|functions?|scripts?|commands?|emails?|calendar|weather|data|tools?|api|issues?|tickets?',
    'datei(?:en)?|ordner|verzeichnis\\w*|quellcode|protokolle?|seiten?|konfiguration|datenbank|dokumente?|notiz\\w*|skripte?|befehle?|daten',
    'fichiers?|dossiers?|répertoires?|journal|journaux|base de données|commandes?|données',
    'archivos?|ficheros?|carpetas?|directorios?|registros?|pruebas?|páginas?|configuración|base de datos|documentos?|notas?|datos',
    'arquivos?|ficheiros?|pastas?|diretórios?|testes?|configuração|banco de dados|dados',
    'cartell[ae]|registr[oi]|pagin[ae]|configurazione|document[oi]|not[ae]|dati',
  ),
  '文件|目录|代码|日志|测试|网页|配置|数据|文档|资料|内容|ファイル|フォルダ|ディレクトリ|コード|ログ|テスト|ページ|設定|データ|ドキュメント',
);
const MAX_SENTENCE = 240;
const GOES_ON = /(?:[:：…]|\.\.\.)$/u;
/** Lists, quotations, tables, code, and anything that closes a quotation. */
const NO_PROSE = /^(?:[-*+>|#`]|\d+[.)]\s)|["”»`|]$/u;

/**
 * Conditions, questions, later times and offers: then somebody else moves first. Promises for all time to come,
 * and what is said of words and examples: then nobody moves.
 */
const HEDGES = anyPattern(
  // What stands behind a colon has been done; what ends in a call to the reader is said to the reader.
  '[?？!！]|[:：].',
  anyWord(
    'if|unless|when(?:ever)?|once|after|before|until|while|tomorrow|tonight|later|soon|someday|always|never|would|could|know|explain|think|remember|you|from now on|no further|terms?|words?|examples?|down|way',
    'wenn|falls|sobald|nachdem|morgen|später|bald|immer|nie|würde|könnte|wissen|ihnen|dir|euch|künftig|ab jetzt|ab sofort|von nun an|wort|begriff|beispiel',
    'si|quand|lorsque|dès|après|demain|plus tard|bientôt|toujours|jamais|vous|te|désormais|partir de|mot|exemple',
    'cuando|después|mañana|luego|pronto|siempre|nunca|usted|adelante|palabra|ejemplo',
    'se|quando|depois|amanhã|mais tarde|sempre|você|lhe|palavra|exemplo',
    'dopo|domani|più tardi|presto|mai|ti|vi|lei|in poi|parola|esempio',
  ),
  '如果|的话|明天|以后|之后|你|您|稍后|今后|从现在起|一词|今後|もし|たら|れば|明日|後で|あなた',
);
