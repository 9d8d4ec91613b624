import { guardModel } from '@millforge/guard/openai-agents';
import { Agent, type Model, Runner, tool } from '@openai/agents-core';
import { z } from 'zod';

// #region openai-agents
/** Answers a question with a tool, whichever model is behind it. */
export async function askWithAgents(bare: Model, question: string): Promise<string> {
  const agent = new Agent({
    name: 'reader',
    instructions: 'Read notes to answer.',
    model: guardModel(bare),
    tools: [
      tool({
        name: 'read_note',
        description: 'Reads a note.',
        parameters: z.object({ id: z.number().int() }),
        execute: async ({ id }) => `Note ${id}: buy milk.`,
      }),
    ],
  });
  const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, question);
  return finalOutput ?? '';
}
// #endregion
