import type { ReAskReason } from '../guard-decision.ts';
import type { GuardPolicy } from '../guard-policy.ts';
import type { AskedInVain } from '../guard-state.ts';
import type { GuardTool } from '../guard-tool.ts';
import { announcesAction } from '../intent/announces-action.ts';
import type { RescuedText } from '../rescue/rescue-tool-calls.ts';

/** Whether the model may choose to call, must not, must, or must call one tool. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** What is known of a reply without calls. */
export interface TextFacts {
  /** What was said, without thoughts. */
  readonly content: string | null;
  /** What the rescue made of it. */
  readonly rescue: Exclude<RescuedText, { kind: 'calls' }>;
  /** Whether it reached the limit of output. */
  readonly isCut: boolean;
  readonly tools: readonly GuardTool[];
  readonly toolChoice: ToolChoice;
  readonly policy: GuardPolicy;
  readonly asked: AskedInVain | null;
}

/** Why a reply without calls is asked again, or null when its text is an answer. */
export function judgeText(facts: TextFacts): ReAskReason | null {
  const { content, rescue, isCut, policy, toolChoice } = facts;
  const isDue = policy.mode === 'strict' || toolChoice !== 'auto';
  if (isDue) {
    if (isCut) return 'cut';
    if (rescue.kind === 'failed') return 'failed-call';
    return content === null ? 'empty' : 'text';
  }
  if (rescue.kind === 'failed' && rescue.isCertain) {
    return rescue.problem === 'cut' && isCut ? 'cut' : 'failed-call';
  }
  if (content === null) return isCut ? 'cut' : 'empty';
  const isFirst = (facts.asked?.announcements ?? 0) === 0;
  const isWatched = policy.announcements ?? true;
  if (isWatched && isFirst && !isCut && announcesAction(content, facts.tools))
    return 'announcement';
  return null;
}
