import type { ReAskReason } from './guard-decision.ts';
import { listNames } from './names/list-names.ts';

/** A correction, as facts; its text is what the model reads. */
export type Nudge =
  | {
      /** A reply without a call. */
      readonly kind: 'no-call';
      /** What the reply was instead. */
      readonly reason: ReAskReason;
      /** How often in a row; worded more sharply up to 3. */
      readonly tier: number;
      /** Names of all tools. */
      readonly tools: readonly string[];
      /** Names of those that end the run. */
      readonly terminals: readonly string[];
      /** Whether text would do as an answer; default false. */
      readonly mayAnswer?: boolean;
      /** What is wrong with a call that was written as text. */
      readonly problem?: string | undefined;
      /** What helps with the tool that was meant. */
      readonly help?: string | undefined;
      /** Whether calls are to be written as text; default false. */
      readonly asText?: boolean;
    }
  /** A name that is none of the tools. */
  | {
      readonly kind: 'unknown-tool';
      readonly name: string;
      readonly tools: readonly string[];
      /** Whether only the nearest names are shown, because the whole list has been; default false. */
      readonly isBrief?: boolean;
    }
  /** Arguments that are not a JSON object. */
  | {
      readonly kind: 'arguments-not-object';
      readonly tool: string;
      readonly problem: string;
      readonly received: string;
      /** What helps with the tool, when being told did not. */
      readonly help?: string | undefined;
    }
  /** Arguments that depart from the schema. */
  | {
      readonly kind: 'arguments-invalid';
      readonly tool: string;
      readonly problem: string;
      readonly expected: string;
      readonly received: string;
      /** What helps with the tool, when being told did not. */
      readonly help?: string | undefined;
    }
  /** A call that the output limit cut. */
  | {
      readonly kind: 'call-cut';
      readonly tool: string;
      /** Tokens that the reply had, when the server told. */
      readonly tokens?: number | undefined;
    }
  /** A call that repeats an earlier one of the same reply. */
  | { readonly kind: 'duplicate-call'; readonly tool: string; readonly earlier: number };

/** Words a correction of a reply: what is wrong, what was expected, what to do next. */
export function nudgeText(nudge: Nudge): string {
  switch (nudge.kind) {
    case 'no-call':
      return noCall(nudge);
    case 'unknown-tool': {
      const start = `[not_found] There is no tool named ${quote(nudge.name)}.`;
      return nudge.isBrief === true
        ? `${start} The nearest names are: ${nudge.tools.slice(0, MAX_BRIEF).join(', ')}.`
        : `${start} The tools are, nearest first: ${listNames(nudge.tools)}. Call one of these by its exact name.`;
    }
    case 'arguments-not-object':
      return `[invalid_arguments] The arguments of ${nudge.tool} must be one JSON object. ${nudge.problem} Received: ${quote(nudge.received)}. Send the call again with a JSON object; {} when there is nothing to pass.${after(nudge.help)}`;
    case 'arguments-invalid':
      return `[invalid_arguments] ${nudge.tool}: ${clip(nudge.problem)} (expected ${nudge.expected}, received ${nudge.received}). Correct this argument and send the call again.${after(nudge.help)}`;
    case 'call-cut': {
      const limit = nudge.tokens === undefined ? '' : ` of ${nudge.tokens} tokens`;
      return `[invalid_arguments] The call of ${nudge.tool} was cut at the output limit${limit} before its arguments ended. It was not performed. Send a smaller call, or do the work in several calls.`;
    }
    case 'duplicate-call':
    default:
      return `[duplicate] This repeats call ${nudge.earlier} of the same reply, so it was not performed again. Its result is there.`;
  }
}

function noCall(nudge: Extract<Nudge, { kind: 'no-call' }>): string {
  const call = nudge.asText === true ? CALL_AS_TEXT : 'Reply again with a tool call.';
  const finish =
    nudge.terminals.length === 0
      ? ''
      : ` If the work is finished, call ${listNames(nudge.terminals, ' or ')}.`;
  const [demand, end] =
    nudge.mayAnswer === true
      ? ['', ' If no tool is needed, answer in plain words.']
      : [' Text alone does nothing here: every reply has to call a tool.', finish];
  switch (nudge.reason) {
    case 'cut':
      return `Your reply reached the output limit before it called a tool. Keep it short: call one tool, with no text before it.${end}`;
    case 'failed-call': {
      const problem = nudge.problem && clip(nudge.problem);
      return `Your reply holds a tool call that could not be taken.${after(problem)} Nothing was performed. ${nudge.asText === true ? CALL_AS_TEXT : CALL_NATIVELY}${nudge.tier > 1 ? after(nudge.help) : ''}${end}`;
    }
    case 'announcement':
      return `You said what you would do next, but called no tool, so nothing has happened. ${call}${end}`;
    case 'empty':
    case 'text':
    default:
      return nudge.mayAnswer === true || nudge.tier <= 1
        ? `Your last reply ${nudge.reason === 'empty' ? 'was empty' : 'contained no tool call'}.${demand} ${call}${end}`
        : sharpened(nudge, end);
  }
}

function sharpened(nudge: Extract<Nudge, { kind: 'no-call' }>, end: string): string {
  const tools = `The tools are: ${listNames(nudge.tools)}.`;
  if (nudge.tier === 2) {
    return `Again there was no tool call. ${tools} Choose one and call it with a JSON object of arguments.${end}`;
  }
  return `STOP WRITING TEXT. Your next reply MUST be a tool call and nothing else. ${tools}${end}`;
}

const CALL_NATIVELY = 'Make the call itself, with the exact name and a JSON object of arguments.';
const CALL_AS_TEXT =
  'Reply with only one JSON object, {"tool": name, "args": object}, and nothing around it.';

function after(help: string | undefined): string {
  return help === undefined ? '' : ` ${help}`;
}

function quote(text: string): string {
  return JSON.stringify(clip(text));
}

/** What a model wrote may stand in a problem too: the name of a property that is not allowed. */
function clip(text: string): string {
  if (text.length <= MAX_QUOTED) return text;
  // The cut may leave half of a surrogate pair.
  return `${text.slice(0, MAX_QUOTED).replace(/[\ud800-\udbff]$/, '')}…`;
}

const MAX_BRIEF = 3;
const MAX_QUOTED = 200;
