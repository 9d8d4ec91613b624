import type { ModelReply } from '@millforge/contracts';
import { defaultPolicy, type GuardTool, initialGuardState, inspectReply } from '@millforge/guard';
import { expect, test } from 'vitest';

const TOOLS: readonly GuardTool[] = [
  {
    name: 'read_file',
    description: '',
    parameters: { type: 'object', additionalProperties: false, properties: {}, required: [] },
  },
];

const REASONS = ['stop', 'tool_calls', 'length', 'content_filter', 'unknown'] as const;

const CONTENTS = {
  calls: { content: null, tool_calls: [{ id: 'a', name: 'read_file', arguments: '{}' }] },
  'calls and text': {
    content: 'So.',
    tool_calls: [{ id: 'a', name: 'read_file', arguments: '{}' }],
  },
  'no calls': { content: 'So.', tool_calls: [] },
  nothing: { content: null, tool_calls: [] },
} as const;

/** What each content comes to, in `strict` and in `auto`; only the word for a useless reply depends on the reason. */
const OUTCOMES = {
  calls: { strict: () => 'calls', auto: () => 'calls' },
  'calls and text': { strict: () => 'calls', auto: () => 'calls' },
  'no calls': {
    strict: (reason: string) => (reason === 'length' ? 're-ask cut' : 're-ask text'),
    auto: () => 'text answer',
  },
  nothing: {
    strict: (reason: string) => (reason === 'length' ? 're-ask cut' : 're-ask empty'),
    auto: (reason: string) => (reason === 'length' ? 're-ask cut' : 're-ask empty'),
  },
} as const;

const TABLE = REASONS.flatMap((finish_reason) =>
  (['calls', 'calls and text', 'no calls', 'nothing'] as const).flatMap((content) =>
    (['strict', 'auto'] as const).map(
      (mode) => [finish_reason, content, mode, OUTCOMES[content][mode](finish_reason)] as const,
    ),
  ),
);

test.each(TABLE)('%s with %s in %s comes to: %s', (...row) => {
  const [finish_reason, content, mode, outcome] = row;
  const reply: ModelReply = {
    ...CONTENTS[content],
    finish_reason,
    reasoning: null,
    usage: null,
    provider_model: null,
  };
  const policy = { ...defaultPolicy, mode };
  const { decision } = inspectReply(reply, { tools: TOOLS, policy, state: initialGuardState });
  const detail = 'reason' in decision ? ` ${decision.reason}` : '';
  expect(decision.kind + detail).toBe(outcome);
});
