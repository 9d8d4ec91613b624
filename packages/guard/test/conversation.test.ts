import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPolicy, initialGuardState, inspectReply, toGuardTool } from '@millforge/guard';
import { expect, test } from 'vitest';

/** A reply of an assistant that is right as it stands: an answer, a greeting, a question. */
interface Ordinary {
  readonly language: string;
  readonly tools: readonly string[];
  readonly messages: readonly object[];
  readonly reply: string;
}

const ANY_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: true } as const;

const FOLDER = join(import.meta.dirname, 'fixtures/conversation');
const FILES = existsSync(FOLDER)
  ? readdirSync(FOLDER).filter((file) => file.endsWith('.json'))
  : [];

/** What the guard does to each reply but to take it for the answer that it is. */
function misjudged(file: string): readonly object[] {
  const replies: readonly Ordinary[] = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  return replies.flatMap(({ language, tools, reply }, index) => {
    const { decision } = inspectReply(
      {
        content: reply,
        reasoning: null,
        tool_calls: [],
        finish_reason: 'stop',
        usage: null,
        provider_model: null,
      },
      {
        tools: tools.map((name) => toGuardTool({ name, schema: ANY_ARGUMENTS })),
        policy: defaultPolicy,
        state: initialGuardState,
      },
    );
    const isAnswer = decision.kind === 'text' && decision.text === reply;
    const reason = 'reason' in decision ? decision.reason : '';
    return isAnswer ? [] : [{ index, language, decision: `${decision.kind} ${reason}`, reply }];
  });
}

test.skipIf(FILES.length === 0)('ordinary replies are taken as answers, to the letter', () => {
  const found = FILES.flatMap((file) => misjudged(file).map((one) => ({ file, ...one })));
  expect(found).toEqual([]);
});
