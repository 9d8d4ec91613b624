import { generateText, jsonSchema, stepCountIs, tool } from 'ai';

const noop = (count) =>
  tool({
    description: 'Does nothing.',
    inputSchema: jsonSchema({
      type: 'object',
      additionalProperties: false,
      properties: { n: { type: 'integer' } },
      required: ['n'],
    }),
    async execute() {
      count();
      return 'ok';
    },
  });

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/** One run of so many turns by `generateText` of the AI SDK. */
export async function runAiSdk(turns) {
  let turn = 0;
  let calls = 0;
  const model = {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'm',
    supportedUrls: {},
    async doGenerate() {
      const isLast = turn >= turns;
      const content = isLast
        ? [{ type: 'text', text: 'done' }]
        : [{ type: 'tool-call', toolCallId: `c${turn}`, toolName: 'noop', input: `{"n":${turn}}` }];
      turn += 1;
      const reason = isLast ? 'stop' : 'tool-calls';
      return { content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
    },
  };
  await generateText({
    model,
    system: 'Call noop.',
    prompt: 'Go.',
    tools: {
      noop: noop(() => {
        calls += 1;
      }),
    },
    stopWhen: stepCountIs(turns + 1),
  });
  if (calls !== turns) throw new Error(`ai made ${calls} of ${turns} calls`);
}
