import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@millforge/contracts';
import type { ModelSetting } from 'millforge';
import { expect, test } from 'vitest';
import { createRunFixture } from './run-fixture.ts';

/** One grey pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';
const call = (name: string, args: object) => ({
  tool_calls: [{ name, arguments: JSON.stringify(args) }],
});
const REPLIES = [
  call('read', { path: 'a.png' }),
  call('ls', {}),
  call('submit', { terminal_result: 'COMPLETE', summary: 'It is grey.' }),
];

test('a picture reaches a model that sees, is kept as an artifact, and is shown again after a stop', async () => {
  const { start, open, server, places, model } = await createRunFixture({ replies: REPLIES });
  writeFileSync(join(places.workspace, 'a.png'), Buffer.from(PIXEL, 'base64'));
  const millforge = open();
  const run = await start(millforge, {
    model: seeing(model),
    onEvent(event) {
      if (event.kind === 'model-replied' && event.turn === 2) run.stop();
    },
  });
  expect(await run.result).toMatchObject({ status: 'interrupted' });
  expect(shownIn(server.requests.at(-1)?.body)).toEqual([PIXEL]);
  await millforge[Symbol.asyncDispose]();
  const digest = sha256(Buffer.from(PIXEL, 'base64'));
  const trail = readFileSync(join(places.data, 'trail.db'));
  expect(trail.includes(digest)).toBe(true);
  expect(trail.includes(PIXEL)).toBe(false);

  const resumed = await open().resume(run.runId);
  expect(await resumed.result).toMatchObject({ status: 'success', summary: 'It is grey.' });
  expect(shownIn(server.requests.at(-1)?.body)).toEqual([PIXEL]);
});

test('a model that is not declared to see is told that there is a picture', async () => {
  const { start, open, server, places } = await createRunFixture({ replies: REPLIES });
  writeFileSync(join(places.workspace, 'a.png'), Buffer.from(PIXEL, 'base64'));
  const run = await start(open());
  expect(await run.result).toMatchObject({ status: 'success' });
  const { body } = server.requests.at(-1) ?? {};
  expect(shownIn(body)).toEqual([]);
  expect(JSON.stringify(body)).toContain('[Current model does not support images.');
});

function seeing(model: ModelSetting): ModelSetting {
  if (model.kind !== 'endpoint') throw new Error('the model of the fixture is a server');
  return { ...model, profile: { ...model.profile, capabilities: { images: 'supported' } } };
}

/** The pictures in a request, in Base64. */
function shownIn(body: unknown): readonly string[] {
  return [...JSON.stringify(body).matchAll(/data:image\/png;base64,([^"]+)/g)].map(
    ([, data]) => data ?? '',
  );
}
