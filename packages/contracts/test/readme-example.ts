import { defineTool, descriptorDigest, validateJson } from '@millforge/contracts';
import * as z from 'zod';

export const countWords = defineTool({
  id: 'sample.text.count_words',
  name: 'count_words',
  description: 'Counts the words of a text.',
  input: z.object({ text: z.string() }),
  output: z.object({ count: z.int() }),
  sideEffect: 'read_only',
  idempotency: 'idempotent',
  run: async ({ text }) => {
    const count = text.split(/\s+/).filter((word) => word !== '').length;
    return { kind: 'done', text: `${count} words`, data: { count } };
  },
});

// What a plan names the tool by: the same on every machine, another for every change of the descriptor.
export const sha256 = descriptorDigest(countWords.descriptor);

// '$.text must be string'
export const fault = validateJson({ text: 7 }, countWords.descriptor.input_schema)?.message;
