import { expect, test } from 'vitest';
import { need } from './real-sandbox.ts';

test('the example of the README does what it says', async (context) => {
  const { lines, sandbox, words } = await import('./readme-example.ts');
  try {
    expect(words).toBe(3);
    await need(context, sandbox, 'sandbox');
    expect(lines).toBeGreaterThan(10);
  } finally {
    await sandbox[Symbol.asyncDispose]();
  }
});
