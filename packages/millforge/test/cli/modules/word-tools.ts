import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineTool } from 'millforge';

/** Reads, so that its examples are performed. */
export const countWords = defineTool({
  id: 'test.words.count_words',
  description: 'Counts words.',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
  examples: [{ text: 'one two' }, { text: 'three' }],
  sideEffect: 'read_only',
  idempotency: 'idempotent',
  run: async ({ text }) => ({
    kind: 'done',
    data: { words: typeof text === 'string' ? text.split(' ').length : 0 },
  }),
});

/** Writes, so that its examples are only checked. */
export const lists = [
  defineTool({
    id: 'test.words.keep',
    description: 'Keeps a word.',
    input: {
      type: 'object',
      properties: { word: { type: 'string', minLength: 1 } },
      required: ['word'],
    },
    examples: [{ word: 'mill' }],
    sideEffect: 'workspace_write',
    idempotency: 'idempotent',
    capabilities: ['test.keep'],
    async run({ word }, { workspace }) {
      const file = join(workspace ?? '', 'kept.txt');
      if (existsSync(file)) return { kind: 'failed', code: 'conflict', text: 'Kept already.' };
      writeFileSync(file, JSON.stringify(word));
      return { kind: 'done', text: 'kept' };
    },
  }),
];
