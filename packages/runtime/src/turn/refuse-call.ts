import type { OutcomeImage, ToolErrorCode } from '@millforge/contracts';
import type { BatchReport } from '@millforge/guard';
import type { AsJson, CheckedCall, RefusedCall, ToolTraceRecord } from '@millforge/registry';
import type { RunEnding } from '../run-ending.ts';
import type { Run } from '../run-state.ts';
import type { CallPlace } from './call-place.ts';

/** The answer to one call, and what its batch is charged for it. */
export type Answer =
  | {
      readonly kind: 'result';
      /** What the model reads. */
      readonly text: string;
      /** What it is shown beside that. */
      readonly images?: readonly OutcomeImage[];
      readonly mistake: Mistake | null;
      readonly performed: boolean;
    }
  | { readonly kind: 'ending'; readonly ending: RunEnding };

/** What a batch can be charged for. */
export type Mistake = Exclude<keyof BatchReport, 'performedCalls'>;

/** Why a call is answered without being performed. */
export interface CallRefusal {
  readonly place: CallPlace;
  /** Whether the reply was replayed. */
  readonly replayed: boolean;
  /** Why. */
  readonly code: ToolErrorCode | 'budget_exhausted';
  /** What the model reads. */
  readonly message: string;
  readonly mistake: Mistake | null;
  /** What the executor says of it; null for a call that was performed and has its record. */
  readonly checked: CheckedCall | RefusedCall | null;
}

/** Answers a call without performing it; that is no operation, so the trail is told. */
export function refuseCall(run: Run, refusal: CallRefusal): Answer {
  const { place, replayed, code, mistake } = refusal;
  const message = run.redact(refusal.message);
  run.options.trail.append({
    key: `refusal/${place.turn}/${place.index}`,
    step: place.turn,
    type: 'call-refused',
    data: {
      call_id: place.callId,
      tool: place.tool,
      code,
      message,
      trace: traceOf(refusal),
    },
  });
  run.observer.emit({ kind: 'call-refused', ...place, replayed, code, message });
  return { kind: 'result', text: refusal.message, mistake, performed: false };
}

/** The one record of a call that is not performed, whether the executor is against it or only the run. */
function traceOf({ checked, code, message }: CallRefusal): AsJson<ToolTraceRecord> | null {
  if (checked === null || checked.kind === 'refused') return checked?.trace ?? null;
  const reason = code === 'budget_exhausted' ? 'policy_denied' : code;
  return checked.refuse({ code: reason, message }).trace;
}
