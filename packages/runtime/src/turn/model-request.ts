import type { ModelMessage, ModelRequest, ModelRequestOptions } from '@millforge/contracts';
import { toPromptMessages } from '@millforge/guard';
import type { Run } from '../run-state.ts';

/**
 * The request of a turn, as the model is declared to take it.
 *
 * A model without tools of its own reads them in the system message and writes its calls as text. One
 * that was asked in vain twice is made to call a tool, where it takes that.
 */
export function modelRequest(run: Run): ModelRequest {
  const { messages } = run.conversation;
  if (run.policy.textCalls === true) {
    return { messages: oneUserAtATime(toPromptMessages(messages, run.tools)), tools: [] };
  }
  const options = optionsOf(run);
  return options === null
    ? { messages, tools: run.tools }
    : { messages, tools: run.tools, options };
}

function optionsOf(run: Run): ModelRequestOptions | null {
  if (run.options.model.capabilities?.tool_choice !== 'supported') return null;
  const asked = run.guard.consecutive.validation_retries;
  return asked < FORCED_AFTER ? null : { tool_choice: 'required' };
}

/** Results have become words of the user, and templates refuse two of those in a row. */
function oneUserAtATime(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      joined[joined.length - 1] = {
        role: 'user',
        content: `${last.content}\n\n${message.content}`,
      };
    } else {
      joined.push(message);
    }
  }
  return joined;
}

/** Texts in a row before the model is not asked any more but made to call. */
const FORCED_AFTER = 2;
