import { expect, test } from 'vitest';
import { open, scope, systemClock, temporaryDirectory } from '../fixture.ts';
import { answering, answerOf, commitAll, repositoryOf } from './fixture.ts';
import { reviewHead } from './guide-example.ts';

test('reviews what the newest commit changed, as the guide does, and asks once however often it is run', async () => {
  const repository = repositoryOf({ 'a.ts': 'one\n' });
  commitAll(repository, { 'b.ts': 'two\n' });
  const model = answering(() => answerOf([]));
  const kernel = await open(temporaryDirectory());
  const parts = { kernel, scope, clock: systemClock };
  const text = await reviewHead(parts, { repository, model });
  expect(text).toContain('**Complete**: every role looked at all of 1 file in scope');
  expect(await reviewHead(parts, { repository, model })).toBe(text);
  expect(model.requests).toHaveLength(2);
});
