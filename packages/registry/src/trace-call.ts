import type { PlanNode, Redactor, ToolOrigin, ToolOutcome } from '@millforge/contracts';
import { boundText } from './bound-text.ts';
import { digestOrNull } from './digest-or-null.ts';
import { isoTime } from './iso-time.ts';
import type { CallContext } from './tool-executor.ts';
import type {
  ToolTraceRecord,
  TraceApproval,
  TraceBinding,
  TraceDecision,
} from './tool-trace-record.ts';

/** What is known of a call when its record is made. */
export interface CallFacts {
  readonly name: string;
  readonly callId: string;
  readonly context: CallContext;
  readonly resolution: ToolTraceRecord['resolution'];
  readonly node: PlanNode | null;
  readonly binding: TraceBinding | null;
  readonly origin: ToolOrigin | null;
  /** Null when the arguments were not a JSON object. */
  readonly inputSha256: string | null;
  readonly prerequisites: readonly TraceDecision[];
  readonly capabilities: readonly TraceDecision[];
  /** Null when nobody has to agree. */
  readonly approval: TraceApproval | null;
}

/** How a call came out, as far as the record needs it. */
export interface CallEnd {
  readonly outcome: ToolOutcome;
  readonly truncatedPaths: readonly string[];
  /** Null for a call that never began, or whose beginning a crash forgot. */
  readonly times: { readonly startedAtMs: number; readonly durationMs: number } | null;
}

/** Makes the one record of a call, frozen to its leaves; never throws. */
export function traceCall(facts: CallFacts, end: CallEnd, redactor: Redactor): ToolTraceRecord {
  const { outcome, times } = end;
  const { node } = facts;
  return Object.freeze({
    schema_version: '1.0',
    kind: 'tool_trace',
    run_id: facts.context.runId,
    turn: facts.context.turn,
    call_id: facts.callId,
    tool_name: facts.name,
    node_id: node?.node_id ?? null,
    resolution: facts.resolution,
    binding: facts.binding,
    origin: facts.origin,
    input_sha256: facts.inputSha256,
    prerequisite_decisions: facts.prerequisites,
    capability_decisions: facts.capabilities,
    approval: shownApproval(facts.approval, redactor),
    status: outcome.status,
    error_code: outcome.error_code,
    side_effect_class: node?.side_effect_class ?? 'read_only',
    idempotency: node?.idempotency ?? 'idempotent',
    certainty: outcome.certainty,
    output_sha256: outcome.status === 'success' ? digestOrNull(outcome.data) : null,
    truncated_paths: shownPaths(end.truncatedPaths, redactor),
    summary: boundText(redactor.text(boundText(outcome.text, SCANNED_BYTES).text), 512).text,
    started_at: times === null ? null : isoTime(times.startedAtMs),
    duration_ms: times === null ? null : Math.max(0, Math.round(times.durationMs)),
  });
}

function shownPaths(paths: readonly string[], redactor: Redactor): readonly string[] {
  if (paths.length === 0) return NONE;
  return Object.freeze(
    paths
      .slice(0, MAX_PATHS)
      .map((path) => boundText(redactor.text(boundText(path, SCANNED_BYTES).text), 256).text),
  );
}

function shownApproval(approval: TraceApproval | null, redactor: Redactor): TraceApproval | null {
  if (approval === null) return null;
  const { decided_by } = approval;
  return Object.freeze({
    ...approval,
    decided_by: boundText(redactor.text(decided_by), 256).text,
  });
}

const NONE: readonly string[] = Object.freeze([]);

/** A record stays small however much of a result was cut. */
const MAX_PATHS = 64;

/** Enough for redaction to see a secret whole that begins inside the summary. */
const SCANNED_BYTES = 4096;
