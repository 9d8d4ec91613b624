import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMillforge } from 'millforge';
import { expect, test } from 'vitest';
import { testFolder } from './cli/run-cli.ts';

test('tells an observer what runs', async () => {
  const repository = testFolder();
  writeFileSync(join(repository, 'a.ts'), 'eval(input);\n');
  const seen: string[] = [];
  const follow = (name: string) => {
    seen.push(name);
    return { within: <T>(work: () => T): T => work(), end() {} };
  };
  await using millforge = createMillforge({
    dataDir: join(testFolder(), 'data'),
    observer: {
      goal: () => follow('goal'),
      task: ({ taskId }) => follow(taskId),
      attempt: ({ number }) => follow(`attempt ${number}`),
      operation: ({ key }) => follow(key),
    },
  });
  const request = { repository, commit: null, roles: ['security'], model: null };
  const { result } = await millforge.review(request);
  expect((await result).status).toBe('complete');
  expect(seen.filter((name) => name !== 'attempt 1')).toEqual([
    'goal',
    'capture',
    'propose.security',
    'validate',
    'report',
  ]);
});
