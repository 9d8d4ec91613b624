import type { ExactJson, ModelReply } from '@millforge/contracts';
import { isJsonObject } from '../client/json-text.ts';

/**
 * The reply in an error of a server that could not parse the calls of its model and repeats what it wrote; or null.
 *
 * Builds of llama.cpp before b9656 answer so, with status 500. The marks of a call decide, never the words around
 * them: those are the server's own and change. What the calls are worth is for whoever judges replies to say.
 */
export function echoedCalls(body: ExactJson | null): ModelReply | null {
  const outer = body ?? undefined;
  const error = isJsonObject(outer) ? outer['error'] : undefined;
  const said = isJsonObject(error) ? error['message'] : error;
  if (typeof said !== 'string') return null;
  const start = said.search(/<tool_call|<function=/);
  if (start < 0) return null;
  // Behind the last call the server speaks again.
  const ends = CLOSINGS.flatMap((tag) => {
    const at = said.lastIndexOf(tag);
    return at < start ? [] : [at + tag.length];
  });
  return {
    content: said.slice(start, ends.length === 0 ? said.length : Math.max(...ends)),
    reasoning: null,
    tool_calls: [],
    finish_reason: 'unknown',
    usage: null,
    provider_model: null,
  };
}

const CLOSINGS = ['</tool_call>', '</function>'];
