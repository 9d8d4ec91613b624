import { defineTool } from 'millforge';
import { z } from 'zod';

// #region tool
export const countWords = defineTool({
  id: 'example.count_words',
  description: 'Counts the words of a text.',
  input: z.strictObject({ text: z.string() }),
  output: z.strictObject({ words: z.int() }),
  examples: [{ text: 'to be or not to be' }],
  sideEffect: 'read_only',
  idempotency: 'idempotent',
  run: async ({ text }) => ({ kind: 'done', data: { words: text.split(/\s+/).length } }),
});
// #endregion
