/** Where a call stands in the run. */
export interface CallPlace {
  /** Model turn, from 1. */
  readonly turn: number;
  /** Place in the reply, from 0. */
  readonly index: number;
  /** Own id, unique in the run whatever ids the provider gives. */
  readonly callId: string;
  /** Name as the model wrote it, cut to what a server takes as the name of a tool. */
  readonly tool: string;
}

/** The place of a call, and the name under which it stands in the conversation. */
export function callPlace(turn: number, index: number, name: string): CallPlace {
  // A server refuses a whole request for one wrong name in its history.
  const tool = name.slice(0, 64).replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return { turn, index, callId: `call_${turn}_${index}`, tool: tool === '' ? 'unnamed' : tool };
}
