import type { JsonObject } from '@millforge/contracts';
import type { ArgumentRepair } from './argument-repair.ts';
import type { Exhaustion } from './exhaustion.ts';
import type { TextCallFormat } from './rescue/text-call.ts';

/** What to do with a reply. */
export type GuardDecision =
  | {
      /** The reply has calls: perform the accepted ones, answer every one of them. */
      readonly kind: 'calls';
      /** One entry per call, in order; the assistant message of the history holds exactly these. */
      readonly calls: readonly InspectedCall[];
      /** What was said besides; null when nothing was. */
      readonly content: string | null;
      /** What was thought, from wherever the server left it; null when nothing was. */
      readonly reasoning: string | null;
      /** Calls beyond the limit of one reply, which stand nowhere. */
      readonly leftOut: number;
    }
  | {
      /** The reply is of no use: append `content`, then `message` on the user channel, and ask again. */
      readonly kind: 're-ask';
      /** What is wrong with it. */
      readonly reason: ReAskReason;
      /** What was said, without thoughts; null when nothing was, which servers want to see as some text. */
      readonly content: string | null;
      /** What the model is told. */
      readonly message: string;
      /** How the next request may narrow the choice, where the server and its reasoning allow it. */
      readonly toolChoice: 'auto' | 'required' | { readonly name: string };
    }
  | {
      /** The reply is text: the turn is over. */
      readonly kind: 'text';
      /** The text to show, null when there is none; after vain questions the first one that came. */
      readonly text: string | null;
      /** Why it is taken: as an answer, unjudged, or because asking again did not help. */
      readonly reason: 'answer' | 'unjudged' | 'gave-up';
      /** What asking did not mend; null unless it gave up. */
      readonly failure: ReAskReason | 'arguments' | null;
      /** What was thought; null when nothing was. */
      readonly reasoning: string | null;
    }
  | {
      /** A budget of mistakes is used up: end the run. */
      readonly kind: 'exhausted';
      /** Which budget, and one sentence. */
      readonly exhaustion: Exhaustion;
      /** The calls of the reply, all refused; empty when it had none. */
      readonly calls: readonly InspectedCall[];
    };

/**
 * Why a reply without a usable call is asked again.
 *
 * `text` is text where a call is due, `empty` nothing at all or only thoughts, `cut` a reply that reached the
 * limit of output, `failed-call` a call written into the text that cannot be taken, `announcement` an action
 * that was announced and not performed.
 */
export type ReAskReason = 'text' | 'empty' | 'cut' | 'failed-call' | 'announcement';

/** One call of a reply: accepted, refused, or passed on unjudged. */
export type InspectedCall =
  | {
      /** The arguments match the schema of the tool. */
      readonly kind: 'accepted';
      /** Name of the tool. */
      readonly name: string;
      /** The arguments, repaired where nothing was lost by it. */
      readonly arguments: JsonObject;
      /** What was repaired. */
      readonly repairs: readonly ArgumentRepair[];
      /** Name as the model wrote it, where that was another one. */
      readonly writtenName?: string;
      /** How the call was written, where it stood in the text. */
      readonly rescued?: TextCallFormat;
      /** Its place among the calls of the reply; absent where it stood in the text. */
      readonly index?: number;
    }
  | {
      /** The call must not be performed; `message` is its result, on the tool channel. */
      readonly kind: 'refused';
      /** Name as the model wrote it. */
      readonly name: string;
      /** Why. */
      readonly reason: RefusalReason;
      /** What the model is told: what is wrong, what was expected. */
      readonly message: string;
      /** Its place among the calls of the reply. */
      readonly index: number;
    }
  | {
      /** Whoever performs it judges it: the guard is off, or asking did not help. Never in `strict`. */
      readonly kind: 'passed';
      /** Name as the model wrote it. */
      readonly name: string;
      /** What is wrong with it; null when nothing was judged. */
      readonly reason: RefusalReason | null;
      /** What the model would be told; empty when nothing was judged. */
      readonly message: string;
      /** Its place among the calls of the reply. */
      readonly index: number;
    };

/** Why a call is refused. */
export type RefusalReason =
  | 'unknown-tool'
  | 'arguments-not-object'
  | 'arguments-invalid'
  | 'arguments-cut'
  | 'duplicate';
