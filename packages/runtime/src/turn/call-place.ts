import type { Run } from '../run-state.ts';

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
export function callPlace(
  run: Pick<Run, 'nodes' | 'redact'>,
  at: Pick<CallPlace, 'turn' | 'index'>,
  name: string,
): CallPlace {
  const tool = run.nodes.has(name) ? name : unknownName(run, name);
  return { turn: at.turn, index: at.index, callId: `call_${at.turn}_${at.index}`, tool };
}

/** A server refuses a whole request for one wrong name in its history, and a model may put anything there. */
function unknownName(run: Pick<Run, 'redact'>, name: string): string {
  const tool = run.redact(name.slice(0, MAX_READ)).slice(0, MAX_NAME);
  return tool === '' ? 'unnamed' : tool.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

const MAX_NAME = 64;
/** Enough for redaction to see a secret whole that begins inside the name. */
const MAX_READ = 1024;
