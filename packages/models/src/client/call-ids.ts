import type { ModelMessage } from '@millforge/contracts';

/**
 * Gives each call of a reply an id that is unique in the conversation.
 *
 * The provider's id is kept unless it is no text, blank, or already taken: some servers send none,
 * some begin with `call_0` in every turn. Made-up ids are nine alphanumerics, which is the one form
 * that every model template accepts, and depend on the conversation alone.
 */
export function uniqueCallIds(
  ids: readonly unknown[],
  conversation: readonly ModelMessage[],
): readonly string[] {
  const taken = new Set<string>();
  for (const message of conversation) {
    if (message.role !== 'assistant') continue;
    for (const call of message.tool_calls ?? []) taken.add(call.id);
  }
  let number = taken.size;
  return ids.map((id) => {
    let unique = typeof id === 'string' && id.trim() !== '' ? id : null;
    while (unique === null || taken.has(unique)) {
      number += 1;
      unique = `call${String(number).padStart(5, '0')}`;
    }
    taken.add(unique);
    return unique;
  });
}
