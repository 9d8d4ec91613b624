/**
 * Gives the index of the reply that a conversation asks for: how often the model has spoken in it.
 *
 * It depends on the conversation alone, so that a resumed run gets the same replies.
 */
export function scriptedTurn(messages: readonly { readonly role: unknown }[]): number {
  return messages.filter((message) => message.role === 'assistant').length;
}

/** Says that a script has ended. */
export function endOfScript(turn: number, replies: number): string {
  return `The model script has ${replies} ${replies === 1 ? 'reply' : 'replies'} and the conversation asks for number ${turn + 1}; add replies to the script, or end the run earlier.`;
}
