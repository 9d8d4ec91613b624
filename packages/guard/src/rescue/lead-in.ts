import { anyPattern, anyWord } from '../intent/word-pattern.ts';

/**
 * Whether the text before a call presents it as something other than a call: an example, a quotation, a warning.
 *
 * Looks at the paragraph that leads to the call. A false alarm costs one question, a miss would perform
 * what was only shown.
 */
export function isPresented(lead: string): boolean {
  const near = lead.slice(-PARAGRAPH).toLowerCase().trimEnd();
  if (PRESENTING.test(near)) return true;
  const sentence = near.split(/[.!?。！？]\s|\n/u).findLast((part) => part.trim() !== '');
  return sentence !== undefined && REPORTING.test(sentence);
}

/** Whether a text is short and says that the writer acts now; nothing at all says so too. */
export function isActing(lead: string): boolean {
  const text = lead.trim();
  if (text === '') return true;
  return text.length <= SHORT && ACTING.test(text) && !isPresented(text) && !text.includes('?');
}

const PARAGRAPH = 300;
const SHORT = 240;

/** Words that introduce an example, a form, a quotation or a prohibition. */
const PRESENTING = anyPattern(
  // Beginnings of words.
  String.raw`\b(?:example|e\.g|for instance|such as|format|syntax|schema|sample|template|placeholder|beispiel|z\. ?b\.|etwa so|(?:könnte|würde)(?:st)?|man kann|nicht|niemals|exemple|par ex|pourrai[st]|pourriez|vous pouvez|on peut|jamais|ne pas|ressemble)`,
  anyWord(
    'documentation|docs|tutorial|imagine|suppose|hypothetical|instead of|rather than',
    '(?:you|one|users?|they|we) (?:can|could|may|might|should|would|must|need)',
    '(?:would|could|might|should) (?:look|be|send|call|write|emit|use|produce)',
    'below|payload|definition|(?:will look|looks?) (?:like|as)|like (?:this|so|that)|as follows',
    "do not|don't|never|avoid|must not|cannot|can't|won't|shouldn't|not call",
    'hier (?:ist|sind)|voici|voilà|ejemplo|podrías?|puedes|se puede|nunca|formato|así',
    'aquí (?:está|tienes?)|esempio|potresti|potrebbe|puoi|si può|mai|ecco',
    'exemplo|poderia|você pode|pode-se|aqui está',
  ),
  String.raw`\bhere(?:['’]s| is| are)\b(?! (?:the|my) (?:tool |function )?call\b)`,
  '以下|如下|这是|例如|例子|比如|示例|可以这样|格式|不要|不能|例えば|例:|例：|書式|ください|できます|пример|например|예를|예시',
);

/** Words that report what stands somewhere else; they count only in the sentence before the call. */
const REPORTING = anyPattern(
  anyWord(
    'contain(?:s|ed)?|says?|said|print(?:ed|s)|return(?:ed|s)|reads|show(?:s|ed)?|quoted?|according to',
    '(?:output|response|result|log|file) (?:is|was|of)',
    'enthält|steht|lautet|contient|contiene|contém|dice|dit',
  ),
  '内容|输出|返回|出力',
);

/** Words with which somebody begins to act. */
const ACTING = anyPattern(
  anyWord(
    "i(?: will|['’]ll| am|['’]m| need to| must| should| can| want to)|let me|let['’]s",
    "(?:here is|here['’]s) (?:the|my) (?:tool |function )?call",
    'ich (?:werde|öffne|lese|prüfe|suche|schaue|rufe|führe|starte|hole)|lass mich',
    'voy a|déjame|vou|deixe-me|sto per|fammi|lasciami',
  ),
  String.raw`^(?:calling|using|opening|reading|checking|looking|searching|running|writing|fetching)\b`,
  // Politeness alone, or a word of order alone; more words may say something else.
  String.raw`^(?:(?:sure|ok|okay|certainly|of course|alright|right|great|thanks|understood|got it|now|next|first|then)[.,:!\s]*){1,3}$`,
  String.raw`\b(?:je vais|laissez-moi|j['’](?:ouvre|appelle|utilise|examine))`,
  '我来|我将|我会|让我|これから|します',
);
