import { expect, test } from 'vitest';
import { randomIds, systemClock, temporaryDirectory } from './fixture.ts';
import { sendLetter } from './readme-example.ts';

test('sends the letter of the README once, however often it is run', async () => {
  const data = temporaryDirectory();
  const letters: string[] = [];
  const parts = {
    clock: systemClock,
    ids: randomIds,
    send: async (key: string) => {
      letters.push(key);
      return 'posted';
    },
  };
  expect(await sendLetter(data, parts)).toMatchObject({ state: 'completed' });
  expect(await sendLetter(data, parts)).toMatchObject({ state: 'completed' });
  expect(letters).toHaveLength(1);
});
