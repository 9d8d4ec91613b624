import { listNames } from './names/list-names.ts';

/** What is said about a call that comes too early or too often, as facts. */
export type StepNudge =
  /** A terminal before its required steps. */
  | {
      readonly kind: 'premature-terminal';
      readonly tier: number;
      readonly terminal: string;
      readonly pending: readonly string[];
    }
  /** A terminal before its artifacts. */
  | {
      readonly kind: 'missing-artifacts';
      readonly terminal: string;
      readonly artifacts: readonly string[];
      readonly producers: readonly string[];
    }
  /** A call before its prerequisites. */
  | {
      readonly kind: 'unmet-prerequisite';
      readonly tool: string;
      readonly unmet: readonly UnmetPrerequisite[];
    }
  /** A call of a tool that has been called as often as it may. */
  | { readonly kind: 'calls-spent'; readonly tool: string; readonly max: number };

/** An earlier call that is missing, or several of which one is. */
export type UnmetPrerequisite = UnmetStep | { readonly anyOf: readonly UnmetStep[] };

/** An earlier call that is missing. */
export interface UnmetStep {
  /** Name of the tool that must succeed first. */
  readonly tool: string;
  /** Arguments of the refused call that an earlier success must have had, by the names there. */
  readonly matching: readonly { readonly earlier: string; readonly current: string }[];
}

/** Words a correction of the order of calls: what is missing, what to do next. */
export function stepNudgeText(nudge: StepNudge): string {
  switch (nudge.kind) {
    case 'premature-terminal':
      return premature(nudge);
    case 'missing-artifacts':
      return `[terminal_intent_invalid] ${nudge.terminal} needs artifacts that do not exist: ${listNames(nudge.artifacts)}. They come from: ${listNames(nudge.producers)}. Produce them first.`;
    case 'unmet-prerequisite':
      return `[prerequisite_denied] ${nudge.tool} was not performed. First needed: ${nudge.unmet.map(unmetText).join('; ')}. Do that now, then call ${nudge.tool} again.`;
    case 'calls-spent':
    default: {
      const calls = nudge.max === 1 ? 'one call' : `${nudge.max} calls`;
      return `[policy_denied] ${nudge.tool} was not performed. A run may make ${calls} of it, and no call is left. Go on with another step.`;
    }
  }
}

function premature(nudge: Extract<StepNudge, { kind: 'premature-terminal' }>): string {
  const pending = listNames(nudge.pending);
  if (nudge.tier <= 1) {
    return `[terminal_intent_invalid] ${nudge.terminal} is not available yet: these steps have to succeed first: ${pending}. Nothing of this reply was performed. Please do one of them now.`;
  }
  if (nudge.tier === 2) {
    return `[terminal_intent_invalid] Nothing was performed. Call one of the pending steps now: ${pending}.`;
  }
  return `[terminal_intent_invalid] STOP. ONLY THE PENDING STEPS ARE ALLOWED: ${pending}. DO NOT CALL ${nudge.terminal}. Your next reply MUST call one of the pending steps.`;
}

function unmetText(unmet: UnmetPrerequisite): string {
  return 'anyOf' in unmet
    ? `one of these: ${unmet.anyOf.map(stepText).join(', or ')}`
    : stepText(unmet);
}

function stepText({ tool, matching }: UnmetStep): string {
  if (matching.length === 0) return `a successful ${tool}`;
  const same = matching.map(({ earlier, current }) =>
    earlier === current ? `the same ${current}` : `${earlier} equal to the ${current} of this call`,
  );
  return `a successful ${tool} with ${same.join(' and ')}`;
}
