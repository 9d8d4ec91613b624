import type { JsonObject, PlanNode } from '@millforge/contracts';
import { checkRepeat, type PerformedCall, type RepeatVerdict } from '@millforge/guard/limits';
import type { Run } from '../run-state.ts';
import type { CallPlace } from './call-place.ts';
import type { Answer } from './refuse-call.ts';

/** A call that may go on with a loop. */
export interface Repeatable {
  readonly node: PlanNode;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly key: string;
}

/** Whether a call goes on with a loop; terminals, and nodes that are to be called several times, may. */
export function judgeRepeat(run: Run, call: Repeatable): RepeatVerdict {
  const { terminal_result, calls } = call.node;
  if (terminal_result !== null || (calls?.min ?? 1) > 1) return FRESH;
  return checkRepeat({ recent: run.recentCalls }, call);
}

/** Remembers what came of a call, and tells the model when it goes round in circles. */
export function noteRepeat(
  run: Run,
  {
    call,
    place,
    verdict,
  }: { readonly call: Repeatable; readonly place: CallPlace; readonly verdict: RepeatVerdict },
  answer: Answer,
): Answer {
  // What is charged as a mistake has a budget of its own, which ends a row of it.
  if (answer.kind === 'ending' || answer.mistake !== null) return answer;
  remember(run.recentCalls, { call: call.key, result: answer.text });
  if (verdict.kind !== 'warn') return answer;
  run.options.trail.append({
    key: `repeat/${place.turn}/${place.index}`,
    step: place.turn,
    type: 'call-repeated',
    data: { call_id: place.callId, tool: place.tool, rounds: verdict.rounds },
  });
  return { ...answer, text: `${answer.text}\n\n${verdict.message}` };
}

/** Nobody but the run holds the list, so it need not be copied for every call. */
function remember(recent: PerformedCall[], performed: PerformedCall): void {
  if (recent.length === 2 * MAX_RECENT) recent.splice(0, MAX_RECENT);
  recent.push(performed);
}

/** More than the longest loop that is looked for. */
const MAX_RECENT = 30;
const FRESH: RepeatVerdict = Object.freeze({ kind: 'fresh' });
