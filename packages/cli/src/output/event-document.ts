import { type JsonObject, unreachable } from '@millforge/contracts';
import type { CallEvent, RunEvent, TurnEvent } from '@millforge/runtime';

/** An event of a run as a line of JSON Lines: its type first, names in snake case. */
export function eventDocument(event: RunEvent): JsonObject {
  switch (event.kind) {
    case 'run-steered':
      return { ...turnFields(event), messages: event.messages, stop: event.stop };
    case 'context-compacted':
      return {
        ...turnFields(event),
        rung: event.rung,
        tokens_before: event.tokensBefore,
        tokens_after: event.tokensAfter,
        summarised_turns: event.summarisedTurns,
      };
    case 'turn-started':
      return { ...turnFields(event), message_count: event.messageCount };
    case 'model-wrote':
      return { ...turnFields(event), part: event.part, text: event.text, replaces: event.replaces };
    case 'model-replied':
      return {
        ...turnFields(event),
        content: event.content,
        reasoning: event.reasoning,
        calls: event.calls,
        usage: event.usage === null ? null : { ...event.usage },
        attempts: event.attempts,
        elapsed_ms: event.elapsedMs,
      };
    case 'model-re-asked':
      return { ...turnFields(event), reason: event.reason };
    case 'approval-requested':
    case 'call-started':
      return { ...callFields(event), describe: event.describe };
    case 'approval-decided':
      return {
        ...callFields(event),
        decision: event.decision,
        decided_by: event.decidedBy,
        reason: event.reason,
      };
    case 'call-updated':
      return { ...callFields(event), text_end: endOf(event.text) };
    case 'call-ended':
      return {
        ...callFields(event),
        status: event.status,
        error_code: event.errorCode,
        text: event.text,
        elapsed_ms: event.elapsedMs,
      };
    case 'call-refused':
      return { ...callFields(event), code: event.code, message: event.message };
    case 'run-ended':
      return {
        type: event.kind,
        replayed: event.replayed,
        status: event.outcome.status,
        failure_class: event.outcome.failure_class,
        terminal_result: event.outcome.terminal_result,
        turns: event.outcome.turns,
      };
    default:
      return unreachable(event, 'event of a run');
  }
}

function turnFields(event: TurnEvent & { readonly kind: string }): JsonObject {
  return { type: event.kind, turn: event.turn, replayed: event.replayed };
}

function callFields(event: CallEvent & { readonly kind: string }): JsonObject {
  return { ...turnFields(event), index: event.index, call_id: event.callId, tool: event.tool };
}

/** Never half of a surrogate pair. */
function endOf(text: string): string {
  return text.slice(-MAX_TEXT_END).replace(/^[\udc00-\udfff]/, '');
}

/** Of what grows line by line, only the end is new. */
const MAX_TEXT_END = 2000;
