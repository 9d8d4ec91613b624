import {
  defaultPolicy,
  initialGuardState,
  inspectReply,
  type ModelReply,
  settleBatch,
  toGuardTool,
} from '@millforge/guard';

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, line: { type: 'integer' } },
  required: ['path'],
};

/** What a loop of one's own does with one reply; gives what it would send next, or perform. */
export function judgeOne(reply: ModelReply): readonly string[] {
  const lines: string[] = [];
  // #region own-loop
  const tools = [toGuardTool({ name: 'read_file', description: 'Reads a file.', schema })];
  const policy = defaultPolicy; // or { ...defaultPolicy, mode: 'strict', terminals: ['submit'] }
  let guard = initialGuardState;

  const { decision, state } = inspectReply(reply, { tools, policy, state: guard });
  guard = state;
  switch (decision.kind) {
    case 'text':
      lines.push(`answer: ${decision.text}`);
      break;
    case 're-ask':
      lines.push(`user: ${decision.message}`);
      break;
    case 'calls': {
      for (const call of decision.calls) {
        if (call.kind === 'accepted')
          lines.push(`perform: ${call.name} ${JSON.stringify(call.arguments)}`);
        else lines.push(`tool: ${call.message}`); // as the result of this call
      }
      const unusableArguments = decision.calls.some((call) => call.kind === 'refused');
      const batch = { ...NOTHING, unusableArguments, performedCalls: 1 };
      guard = settleBatch(guard, { policy, batch }).state;
      break;
    }
    case 'exhausted':
      lines.push(decision.exhaustion.message);
      break;
    default:
      throw new Error('There is no other decision.');
  }
  // #endregion
  return lines;
}

const NOTHING = {
  performedCalls: 0,
  failedCall: false,
  unusableArguments: false,
  unmetPrerequisite: false,
  prematureTerminal: false,
};
