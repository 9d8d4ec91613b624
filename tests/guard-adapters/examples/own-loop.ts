import {
  defaultPolicy,
  type InspectedCall,
  initialGuardState,
  inspectReply,
  type JsonObject,
  type ModelMessage,
  type ModelReply,
  settleBatch,
  toGuardTool,
} from '@millforge/guard';

// #region own-loop
/** What is yours: how the model is asked with these tools, and what the tool does. */
interface Own {
  askModel(messages: readonly ModelMessage[], tools: readonly object[]): Promise<ModelReply>;
  readFile(args: JsonObject): Promise<string>;
}

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, line: { type: 'integer' } },
  required: ['path'],
};
const tools = [toGuardTool({ name: 'read_file', description: 'Reads a file.', schema })];
const policy = defaultPolicy; // or { ...defaultPolicy, mode: 'strict', terminals: ['submit'] }

export async function answer(question: string, own: Own): Promise<string | null> {
  const messages: ModelMessage[] = [{ role: 'user', content: question }];
  let guard = initialGuardState;
  for (;;) {
    const reply = await own.askModel(messages, tools);
    const { decision, state } = inspectReply(reply, { tools, policy, state: guard });
    guard = state;
    if (decision.kind === 'text') return decision.text;
    if (decision.kind === 'exhausted') throw new Error(decision.exhaustion.message);
    if (decision.kind === 're-ask') {
      messages.push({ role: 'assistant', content: decision.content ?? '(nothing)' });
      messages.push({ role: 'user', content: decision.message });
      continue;
    }
    const { calls, content } = decision;
    const ids = calls.map((_, place) => `call_${messages.length}_${place}`);
    const named = calls.map((call, place) => ({ id: ids[place] ?? '', ...written(call) }));
    messages.push({ role: 'assistant', content, tool_calls: named });
    for (const [place, call] of calls.entries()) {
      // A refused call gets its correction as its result; the valid ones beside it are performed.
      const result = call.kind === 'accepted' ? await own.readFile(call.arguments) : call.message;
      const tool_call_id = ids[place] ?? '';
      messages.push({ role: 'tool', tool_call_id, name: call.name, content: result });
    }
    const performedCalls = calls.filter((call) => call.kind === 'accepted').length;
    const batch = { ...NO_MISTAKE, performedCalls, unusableArguments: performedCalls === 0 };
    guard = settleBatch(guard, { policy, batch }).state;
  }
}

function written(call: InspectedCall): { readonly name: string; readonly arguments: string } {
  const args = call.kind === 'accepted' ? call.arguments : {};
  return { name: call.name, arguments: JSON.stringify(args) };
}

const NO_MISTAKE = { failedCall: false, unmetPrerequisite: false, prematureTerminal: false };
// #endregion
