import type { JsonObject } from '@millforge/contracts';
import type { ArgumentRepair } from '../argument-repair.ts';
import type { GuardTool } from '../guard-tool.ts';
import { snapName } from '../names/snap-name.ts';
import { type ToolIndex, toolIndex } from '../names/tool-index.ts';
import { repairArgumentValue } from '../repair-arguments.ts';
import { type BrokenBlock, type CallBlock, findBlocks } from './find-blocks.ts';
import { isActing, isPresented } from './lead-in.ts';
import type { TextCall, TextCallFormat } from './text-call.ts';

/** A call that was found in a text and fits a tool on offer. */
export interface RescuedCall {
  /** Name of the tool. */
  readonly name: string;
  /** Arguments, which match the schema of the tool. */
  readonly arguments: JsonObject;
  /** What was changed without loss to make them match. */
  readonly repairs: readonly ArgumentRepair[];
  /** How the call was written. */
  readonly format: TextCallFormat;
}

/** What a text is: calls to perform, a call that failed, or neither. */
export type RescuedText =
  | {
      /** The text is calls, behind at most a lead-in. */
      readonly kind: 'calls';
      /** The calls, in order. */
      readonly calls: readonly RescuedCall[];
      /** What was said before them; null when nothing was. */
      readonly content: string | null;
    }
  | {
      /** The text holds something that looks like a call and must not be performed. */
      readonly kind: 'failed';
      /** Whether it can hardly be anything else than a failed call. */
      readonly isCertain: boolean;
      /** What is wrong; `place` is a call in the middle of other text. */
      readonly problem: 'unknown-tool' | 'arguments' | 'syntax' | 'cut' | 'place';
      /** The tool that was meant, when it is on offer. */
      readonly tool: string | null;
      /** One sentence about what is wrong. */
      readonly message: string;
    }
  | {
      /** Ordinary text. */
      readonly kind: 'none';
    };

/** What the rescue has to know besides the text. */
export interface RescueOptions {
  /** The tools on offer; nothing else is ever called. */
  readonly tools: readonly GuardTool[];
  /** Whether the reply ended at its limit of output, so that nothing missing may be added. */
  readonly isCut?: boolean;
  /** Whether the model was told to write its calls as text, which makes a little text around them harmless. */
  readonly isExpected?: boolean;
  /** Whether the text was thought, not said: then only a mark made for calls counts. */
  readonly isThought?: boolean;
}

/**
 * Finds the calls that a model wrote into its text instead of making them.
 *
 * Takes them only when they are what the text is about: the whole of it, or its end behind a lead-in that
 * says so or a mark made for calls; never an example, a quotation, or a block inside another. The tool must
 * be on offer and the arguments match its schema, all calls or none. A value that was cut is never completed.
 * Never throws; linear in the text.
 */
export function rescueToolCalls(text: string, options: RescueOptions): RescuedText {
  if (options.tools.length === 0 || !MAY_HOLD_CALLS.test(text)) return NONE;
  const tools = toolIndex(options.tools);
  const { isExpected = false, isThought = false } = options;
  const place: Place = { text, tools, isExpected, isThought };
  const { calls, broken } = findBlocks({
    text,
    isCut: options.isCut ?? false,
    isTool: (name) => snapName(name, tools, 'spelling') !== null,
  });
  if (broken !== null) return judgeBroken(broken, place);
  const [first] = calls;
  return first === undefined ? NONE : judgeCalls([first, ...calls.slice(1)], place);
}

interface Place {
  readonly text: string;
  readonly tools: ToolIndex;
  readonly isExpected: boolean;
  readonly isThought: boolean;
}

function judgeCalls(blocks: readonly [CallBlock, ...CallBlock[]], place: Place): RescuedText {
  const [first] = blocks;
  const lead = place.text.slice(0, first.start);
  const isMarked = blocks.every((block) => block.isMarked);
  const written = withoutSkeletons(blocks.flatMap((block) => block.calls));
  const judged = written.map((call) => judgeCall(call, place.tools));
  // Arguments that nobody can judge prove nothing; then a mark made for calls has to.
  if (!isMarked && judged.some((one) => isUnjudged(one.tool, place.tools))) return NONE;
  // JSON that names no tool is only JSON.
  if (!isMarked && judged.some((one) => one.tool === null)) return NONE;
  if (place.isThought && !isMarked) return NONE;
  // Thoughts weigh what could be done; of them only the last line speaks of the call.
  if (isPresented(place.isThought ? lead.slice(lead.trimEnd().lastIndexOf('\n') + 1) : lead))
    return NONE;
  const hasPlace = isLed(lead, isMarked, place) && isAtEnd(blocks, place);
  if (!hasPlace) {
    const tool = judged[0]?.tool ?? null;
    return failed({ problem: 'place', tool, message: MISPLACED }, false);
  }
  const rescued: RescuedCall[] = [];
  for (const one of judged) {
    if ('failure' in one) return one.failure;
    rescued.push(one.call);
  }
  return { kind: 'calls', calls: rescued, content: lead.trim() === '' ? null : lead.trim() };
}

type JudgedCall =
  | { readonly call: RescuedCall; readonly tool: string }
  | { readonly failure: RescuedText; readonly tool: string | null };

function isUnjudged(tool: string | null, tools: ToolIndex): boolean {
  return tool !== null && tools.byName.get(tool)?.parameters === null;
}

function judgeCall(written: TextCall, tools: ToolIndex): JudgedCall {
  const name = snapName(written.name, tools, 'spelling');
  const tool = name === null ? undefined : tools.byName.get(name);
  if (name === null || tool === undefined) {
    const message = `There is no tool named ${JSON.stringify(written.name)}.`;
    return { tool: null, failure: failed({ problem: 'unknown-tool', tool: null, message }) };
  }
  const repaired = repairArgumentValue(written.arguments, tool.parameters, {
    keepUnknown: tool.isOpen ?? false,
  });
  if (!repaired.ok) {
    const { message } = repaired;
    return { tool: name, failure: failed({ problem: 'arguments', tool: name, message }) };
  }
  const { value, repairs } = repaired;
  return { call: { name, arguments: value, repairs, format: written.format }, tool: name };
}

/** Some models begin a call without arguments and then write it again, whole; in tags some write it twice. */
function withoutSkeletons(calls: readonly TextCall[]): readonly TextCall[] {
  return calls.filter((call, index) => {
    const next = calls[index + 1];
    if (next?.name !== call.name) return true;
    const text = JSON.stringify(call.arguments);
    const isSame = text === JSON.stringify(next.arguments);
    return isSame ? call.format !== 'function-tag' : text !== '{}';
  });
}

function isLed(lead: string, isMarked: boolean, { isExpected }: Place): boolean {
  return isMarked || isActing(lead) || (isExpected && lead.trim().length <= MAX_AROUND);
}

function isAtEnd(blocks: readonly CallBlock[], { text, isExpected }: Place): boolean {
  const gaps = blocks.slice(1).map((block, index) => text.slice(blocks[index]?.end, block.start));
  if (!gaps.every((gap) => BETWEEN.test(gap))) return false;
  const rest = text.slice(blocks.at(-1)?.end);
  if (END_TOKENS.test(rest)) return true;
  return isExpected && rest.trim().length <= MAX_AROUND && !rest.includes('?');
}

function judgeBroken(broken: BrokenBlock, { text, tools }: Place): RescuedText {
  const tool = broken.name === null ? null : snapName(broken.name, tools, 'spelling');
  const lead = text.slice(0, broken.start);
  if (isPresented(lead)) return NONE;
  const isAlone = /(?:^|\n)\s*$/.test(lead);
  const isBegun = MARK_AND_JSON.test(text.slice(broken.start, broken.start + 80));
  const hasIntent = broken.isMarked
    ? broken.name !== null || (isAlone && (broken.isCut || isBegun))
    : tool !== null && isActing(lead);
  if (!hasIntent) return NONE;
  const problem = broken.isCut ? 'cut' : 'syntax';
  return failed({ problem, tool, message: BROKEN[problem] });
}

function failed(
  what: Pick<Extract<RescuedText, { kind: 'failed' }>, 'problem' | 'tool' | 'message'>,
  isCertain = true,
): RescuedText {
  return { kind: 'failed', isCertain, ...what };
}

const NONE: RescuedText = Object.freeze({ kind: 'none' });
const MAY_HOLD_CALLS = /[{<[(]|>>>|Action:/;
/** Tokens that end a message, which some servers leave in the text. */
const END_TOKENS =
  /^(?:\s|<\|[a-z_]{1,24}\|>|<\/s>|<\/(?:tool_calls?|function_calls?|tool_use)>)*$/;
/** A mark with the beginning of JSON behind it. */
const MARK_AND_JSON = /^\s*(?:<[^<>]{1,48}>|\[TOOL_CALLS\])\s*[{[]/;
const BETWEEN = /^[\s,;]*$/;
const MAX_AROUND = 240;
const MISPLACED = 'The call stands in the middle of other text.';
const BROKEN = {
  cut: 'The call ended before its arguments did.',
  syntax: 'The call could not be read.',
} as const;
