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
  /** A tool error code. */
  readonly code: string;
  /** What the model reads. */
  readonly message: string;
  readonly mistake: Mistake | null;
  readonly trace: ToolTraceRecord | null;
}

/** Answers a call without performing it; that is no operation, so the trail is told. */
export function refuseCall(run: Run, refusal: CallRefusal): Answer {
  const { place, replayed, code, mistake, trace } = refusal;
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
      trace: trace === null ? null : traceJson(trace),
    },
  });
  run.observer.emit({ kind: 'call-refused', ...place, replayed, code, message });
  return { kind: 'result', text: refusal.message, mistake, performed: false };
}

/** The trace of a call that the executor refused; null when only the order of the plan was against it. */
export function traceOf(checked: CheckedCall | RefusedCall): ToolTraceRecord | null {
  return checked.kind === 'refused' ? checked.trace : null;
}

function traceJson(trace: ToolTraceRecord): AsJson<ToolTraceRecord> {
  return trace;
}
