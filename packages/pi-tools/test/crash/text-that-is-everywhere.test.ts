import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolWorld } from '../tool-world.ts';

test('an edit of a letter that stands in millions of places is refused in little memory', {
  tags: ['slow'],
}, async () => {
  const world = await toolWorld();
  await writeFile(world.path('f'), 'a'.repeat(8_000_000));
  const script = join(import.meta.dirname, 'one-call.ts');
  const conditions =
    process.env['MILLFORGE_TEST_DIST'] === undefined ? ['--conditions=millforge-src'] : [];
  const input = JSON.stringify({ path: 'f', edits: [{ oldText: 'a', newText: 'b' }] });
  // A process of its own, since nobody comes back from a heap that is full.
  const end = spawnSync(
    process.execPath,
    [
      '--max-old-space-size=128',
      ...conditions,
      '--import=tsx',
      script,
      world.workspace,
      'edit',
      input,
    ],
    { encoding: 'utf8' },
  );
  expect(JSON.parse(end.stdout)).toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/^Found 8000000 occurrences of the text in f\./),
  });
});
