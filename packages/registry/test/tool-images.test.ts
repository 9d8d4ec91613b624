import { sha256, type ToolResult } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { executorWorld, runCall, toolOf } from './executor-world.ts';

const BYTES = Buffer.from('the bytes of an image');
const IMAGE = { mediaType: 'image/png', data: BYTES.toString('base64') } as const;

test('takes images beside the text of a result, with the digest of their bytes', async () => {
  const executed = await answered({ kind: 'done', text: 'Look.', images: [IMAGE] });
  const { outcome, trace, isFrozen } = executed;
  // The bytes are put elsewhere before anything is recorded.
  expect(isFrozen).toBe(false);
  expect(outcome).toMatchObject({ status: 'success', text: 'Look.' });
  expect(outcome.images).toEqual([
    { media_type: 'image/png', sha256: sha256(BYTES), bytes: BYTES.length, data: IMAGE.data },
  ]);
  expect(JSON.stringify(trace)).not.toContain(IMAGE.data);
});

test('says nothing of images where there are none', async () => {
  const { outcome } = await answered({ kind: 'done', text: 'Look.', images: [] });
  expect(Object.hasOwn(outcome, 'images')).toBe(false);
});

test.each<[string, unknown]>([
  ['no list', IMAGE],
  ['another kind of picture', [{ ...IMAGE, mediaType: 'image/svg+xml' }]],
  ['no bytes', [{ ...IMAGE, data: '' }]],
  ['text that is not Base64', [{ ...IMAGE, data: `${IMAGE.data}"}}` }]],
  ['more than sixteen', Array.from({ length: 17 }, () => IMAGE)],
  ['more than 32 Mi characters', [{ ...IMAGE, data: 'A'.repeat(32 * 1024 * 1024 + 4) }]],
])('takes no result whose images are %s', async (_what, images) => {
  const result = { kind: 'done', text: 'Look.', images };
  const { outcome } = await answered(result);
  expect(outcome).toMatchObject({ status: 'hard_failure', error_code: 'implementation_error' });
  expect(outcome.images).toBeUndefined();
});

/** A tool in plain JavaScript may answer with anything. */
function answered(result: object) {
  const run = async (): Promise<ToolResult> => Object.assign({ kind: 'done' as const }, result);
  return runCall(executorWorld([toolOf({ run })]));
}
