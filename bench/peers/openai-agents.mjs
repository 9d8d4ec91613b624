import { Agent, Runner, setTracingDisabled, tool, Usage } from '@openai/agents-core';
import { z } from 'zod';

setTracingDisabled(true);

/** One run of so many turns by the runner of OpenAI Agents. */
export async function runOpenAiAgents(turns) {
  let turn = 0;
  let calls = 0;
  const noop = tool({
    name: 'noop',
    description: 'Does nothing.',
    parameters: z.object({ n: z.int() }),
    async execute() {
      calls += 1;
      return 'ok';
    },
  });
  const model = {
    async getResponse() {
      const isLast = turn >= turns;
      const output = isLast
        ? [
            {
              type: 'message',
              id: 'm',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: 'done' }],
            },
          ]
        : [
            {
              type: 'function_call',
              id: `f${turn}`,
              callId: `c${turn}`,
              name: 'noop',
              status: 'completed',
              arguments: `{"n":${turn}}`,
            },
          ];
      turn += 1;
      return { usage: new Usage(), output, responseId: `r${turn}` };
    },
    getStreamedResponse() {
      throw new Error('This model is not streamed.');
    },
  };
  const agent = new Agent({ name: 'bench', instructions: 'Call noop.', model, tools: [noop] });
  await new Runner({ tracingDisabled: true }).run(agent, 'Go.', { maxTurns: turns + 2 });
  if (calls !== turns) throw new Error(`OpenAI Agents made ${calls} of ${turns} calls`);
}
