import type { ExactJson } from '@millforge/contracts';
import type { JsonFields, StreamAssembler, StreamStep } from '../client/dialect.ts';
import { isJsonObject } from '../client/json-text.ts';
import { readEvent } from '../client/read-event.ts';

/**
 * Puts the events of a streamed message together to the body of a whole one.
 *
 * Arguments arrive as pieces of JSON text; what is no JSON in the end, because the reply reached its
 * limit, stays text, so that the guard can say so.
 */
export function assembleMessageStream(): StreamAssembler {
  const blocks = new Map<number, StreamedBlock>();
  let message: JsonFields = {};
  let usage: JsonFields = {};
  let stopReason: ExactJson = null;
  let isStopped = false;

  const takeEvent = (event: JsonFields): StreamStep => {
    switch (textOf(event['type'])) {
      case 'message_start':
        message = fieldsOf(event['message']);
        usage = fieldsOf(message['usage']);
        return NOTHING;
      case 'content_block_start':
        blocks.set(indexOf(event), {
          start: fieldsOf(event['content_block']),
          text: '',
          signature: '',
        });
        return startStep(fieldsOf(event['content_block']));
      case 'content_block_delta':
        return takeDelta(blocks.get(indexOf(event)), fieldsOf(event['delta']));
      case 'message_delta':
        stopReason = fieldsOf(event['delta'])['stop_reason'] ?? stopReason;
        usage = { ...usage, ...fieldsOf(event['usage']) };
        return NOTHING;
      case 'message_stop':
        isStopped = true;
        return { kind: 'end' };
      case 'error':
        return { kind: 'error', body: event };
      default:
        // `ping`, the end of a block, and events that are younger than this code.
        return NOTHING;
    }
  };

  return {
    push({ data }) {
      const json = readEvent(data);
      if (!json.ok) return { kind: 'malformed', message: 'has an event that is not JSON' };
      return isJsonObject(json.value) ? takeEvent(json.value) : NOTHING;
    },
    finish() {
      if (!isStopped && stopReason === null) return null;
      return {
        ...message,
        usage,
        stop_reason: stopReason,
        content: [...blocks.values()].map(wholeBlock),
      };
    },
  };
}

/** One block of a message, as far as it has come. */
interface StreamedBlock {
  readonly start: JsonFields;
  text: string;
  /** What proves to the provider that thinking is its own. */
  signature: string;
}

function startStep(block: JsonFields): StreamStep {
  const text = block['text'];
  return block['type'] === 'text' && typeof text === 'string' && text !== ''
    ? { kind: 'text', text }
    : NOTHING;
}

function takeDelta(block: StreamedBlock | undefined, delta: JsonFields): StreamStep {
  if (block === undefined) return NOTHING;
  const piece = delta['text'] ?? delta['thinking'] ?? delta['partial_json'];
  block.signature += textOf(delta['signature']);
  if (typeof piece !== 'string' || piece === '') return NOTHING;
  block.text += piece;
  switch (textOf(delta['type'])) {
    case 'text_delta':
      return { kind: 'text', text: piece };
    case 'thinking_delta':
      return { kind: 'reasoning', text: piece };
    default:
      return NOTHING;
  }
}

function wholeBlock({ start, text: whole, signature }: StreamedBlock): JsonFields {
  const kind = textOf(start['type']);
  switch (kind) {
    case 'text':
      return { ...start, text: textOf(start['text']) + whole };
    case 'thinking':
      return {
        ...start,
        thinking: textOf(start['thinking']) + whole,
        signature: textOf(start['signature']) + signature,
      };
    case 'tool_use':
      return whole.trim() === '' ? start : { ...start, input: whole };
    default:
      return start;
  }
}

function textOf(value: ExactJson | undefined): string {
  return typeof value === 'string' ? value : '';
}

function indexOf(event: JsonFields): number {
  return typeof event['index'] === 'number' ? event['index'] : 0;
}

function fieldsOf(value: ExactJson | undefined): JsonFields {
  return isJsonObject(value) ? value : {};
}

const NOTHING: StreamStep = { kind: 'none' };
