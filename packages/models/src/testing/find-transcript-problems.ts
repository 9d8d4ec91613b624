/** One message of a conversation, as the runtime or as a server sees it. */
export interface TranscriptMessage {
  /** Who speaks. */
  readonly role: string;
  /** What is said; text, parts or nothing. */
  readonly content?: unknown;
  /** Calls of an assistant: each with an id, a name and arguments. */
  readonly tool_calls?: unknown;
  /** The call that a result answers. */
  readonly tool_call_id?: unknown;
  /** Name of the tool of a result. */
  readonly name?: unknown;
}

/** One thing in a conversation that a strict server refuses. */
export interface TranscriptProblem {
  /** Index of the message. */
  readonly index: number;
  /** Stable reason. */
  readonly problem:
    | 'unknown-role'
    | 'system-not-first'
    | 'user-not-first'
    | 'repeated-role'
    | 'empty-message'
    | 'repeated-call-id'
    | 'invalid-call'
    | 'arguments-not-object'
    | 'call-unanswered'
    | 'result-without-call'
    | 'result-out-of-order'
    | 'result-names-other-tool';
  /** The call it is about; null when it is about none. */
  readonly callId: string | null;
}

/**
 * Finds everything about a conversation that some server or chat template refuses.
 *
 * One system message, first; then a user; no two messages of user or assistant in a row; call ids
 * unique; arguments a JSON object; every call answered once, in order, before anybody else speaks.
 */
export function findTranscriptProblems(
  messages: readonly TranscriptMessage[],
): readonly TranscriptProblem[] {
  const problems: TranscriptProblem[] = [];
  const ids = new Set<string>();
  let open: Call[] = [];
  let previous: string | null = null;
  for (const [index, message] of messages.entries()) {
    const report = (problem: TranscriptProblem['problem'], callId: string | null = null): void => {
      problems.push({ index, problem, callId });
    };
    if (message.role === 'tool') {
      open = answer(message, open, report);
      previous = message.role;
      continue;
    }
    for (const { id } of open) report('call-unanswered', id);
    open = [];
    checkRole(message.role, { previous, index }, report);
    const calls = message.role === 'assistant' ? readCalls(message.tool_calls, report) : [];
    if (calls.length === 0 && isEmpty(message.content)) report('empty-message');
    for (const { id } of calls) {
      if (ids.has(id)) report('repeated-call-id', id);
      ids.add(id);
    }
    open = [...calls];
    previous = message.role;
  }
  for (const { id } of open) {
    problems.push({ index: messages.length - 1, problem: 'call-unanswered', callId: id });
  }
  return problems;
}

interface Call {
  readonly id: string;
  readonly name: string;
}

type Report = (problem: TranscriptProblem['problem'], callId?: string | null) => void;

function answer({ tool_call_id, name }: TranscriptMessage, open: Call[], report: Report): Call[] {
  const id = typeof tool_call_id === 'string' ? tool_call_id : null;
  const at = open.findIndex((call) => call.id === id);
  const call = open[at];
  if (call === undefined) {
    report('result-without-call', id);
    return open;
  }
  if (at > 0) report('result-out-of-order', id);
  if (name !== undefined && name !== call.name) report('result-names-other-tool', id);
  return open.filter((_, index) => index !== at);
}

function checkRole(
  role: string,
  at: { readonly previous: string | null; readonly index: number },
  report: Report,
): void {
  const { previous, index } = at;
  if (role === 'system') {
    if (index > 0) report('system-not-first');
  } else if (role !== 'user' && role !== 'assistant') {
    report('unknown-role');
  } else if (role === previous) {
    report('repeated-role');
  } else if (role === 'assistant' && (previous === null || previous === 'system')) {
    report('user-not-first');
  }
}

function readCalls(value: unknown, report: Report): readonly Call[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report('invalid-call');
    return [];
  }
  const items: readonly unknown[] = value;
  return items.flatMap((item) => {
    const call = readCall(item);
    if (call === null) {
      report('invalid-call');
      return [];
    }
    if (!isObjectText(call.arguments)) report('arguments-not-object', call.id);
    return [call];
  });
}

/** Reads a call as the runtime keeps it, or as it stands on the wire. */
function readCall(item: unknown): (Call & { readonly arguments: string }) | null {
  if (!isRecord(item)) return null;
  const called = isRecord(item['function']) ? item['function'] : item;
  const { name, arguments: text } = called;
  const { id } = item;
  if (typeof id !== 'string' || id === '' || typeof text !== 'string') return null;
  return typeof name === 'string' && /^[\w-]{1,64}$/.test(name)
    ? { id, name, arguments: text }
    : null;
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && !Array.isArray(value);
  } catch {
    // The only way to ask whether a text is JSON.
    return false;
  }
}

function isEmpty(content: unknown): boolean {
  if (typeof content === 'string') return content.trim() === '';
  return !Array.isArray(content) || content.length === 0;
}

function isRecord(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null;
}
