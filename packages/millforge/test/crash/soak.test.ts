/** @module-tag slow */
import { expect, test } from 'vitest';
import { PHASES, soakKills } from './soak-kills.ts';

test('twelve kills drawn from a seed lose nothing and double nothing', async () => {
  const { broken, phases, success } = await soakKills({ count: 12, seed: 20_260_101 });
  expect(success).toBe(12);
  expect(broken).toEqual({
    'ended wrongly': [],
    'asked a person wrongly': [],
    'doubled effects': [],
    'lost results': [],
    'repeated what was known': [],
    'asked the model too often': [],
    'broken trails': [],
  });
  expect(Object.keys(phases)).toEqual([...PHASES]);
}, 300_000);
