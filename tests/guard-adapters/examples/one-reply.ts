import {
  defaultPolicy,
  initialGuardState,
  inspectReply,
  type ModelReply,
  toGuardTool,
} from '@millforge/guard';

// #region one-reply
const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, line: { type: 'integer' } },
  required: ['path'],
};
const tools = [toGuardTool({ name: 'read_file', description: 'Reads a file.', schema })];
const policy = defaultPolicy; // or { ...defaultPolicy, mode: 'strict', terminals: ['submit'] }

// What the model said: its call stands in the text, the name and a number are not quite right.
const reply: ModelReply = {
  content: 'I will open it.\n{"name": "readFile", "arguments": {"path": "a.md", "line": "7"}}',
  reasoning: null,
  tool_calls: [],
  finish_reason: 'stop',
  usage: null,
  provider_model: null,
};
export const judged = inspectReply(reply, { tools, policy, state: initialGuardState });
// judged.decision.kind is 'calls', and its one call is to be performed as
//   read_file {"path":"a.md","line":7}
// judged.state goes in with the next reply.
// #endregion
