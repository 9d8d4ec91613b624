import { guardMiddleware } from '@millforge/guard/ai-sdk';
import { generateText, type LanguageModel, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';

// #region ai-sdk
type WrappableModel = Parameters<typeof wrapLanguageModel>[0]['model'];

/** Answers a question with a tool, whichever model is behind it. */
export async function askWithAiSdk(
  bare: WrappableModel,
  prompt: string,
  log: (line: string) => void = () => {},
): Promise<string> {
  const model: LanguageModel = wrapLanguageModel({
    model: bare,
    middleware: guardMiddleware({
      onTurn: ({ asked, failure }) => {
        if (asked.length > 0)
          log(`asked again: ${asked.join(', ')}; left: ${failure ?? 'nothing'}`);
      },
    }),
  });
  const { text } = await generateText({
    model,
    tools: {
      read_note: tool({
        description: 'Reads a note.',
        inputSchema: z.object({ id: z.number().int() }),
        execute: async ({ id }) => `Note ${id}: buy milk.`,
      }),
    },
    stopWhen: stepCountIs(5),
    prompt,
  });
  return text;
}
// #endregion
