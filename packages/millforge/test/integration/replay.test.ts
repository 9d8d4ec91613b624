import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { piTools } from 'millforge';
import { expect, test } from 'vitest';
import { collectEvents, createRunFixture } from './run-fixture.ts';

/** Identity, size and last change of everything below a folder. */
function stampsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const { ino, size, ctimeNs, mtimeNs } = statSync(join(folder, name), { bigint: true });
      return `${name} ${ino} ${size} ${ctimeNs} ${mtimeNs}`;
    });
}

test('resuming a finished run contacts no server and touches no file', async () => {
  const { start, open, server, places, commands } = await createRunFixture();
  let contacts = 0;
  let effects = 0;
  const options = {
    fetch: (...request: Parameters<typeof fetch>) => {
      contacts += 1;
      return fetch(...request);
    },
    shippedTools: piTools({
      onEffect: () => {
        effects += 1;
      },
    }),
  };
  const first = open(options);
  const run = await start(first);
  const result = await run.result;
  expect(result.status).toBe('success');
  expect({ contacts, effects: effects > 0 }).toEqual({ contacts: 6, effects: true });
  await first[Symbol.asyncDispose]();
  await server.close();
  const exports = join(places.data, 'runs', run.runId);
  const stamps = [stampsBelow(places.workspace), stampsBelow(exports)];
  contacts = 0;
  effects = 0;

  const again = open(options);
  for (const _ of [1, 2]) {
    expect(await (await again.resume(run.runId)).result).toEqual(result);
  }
  expect({ contacts, effects }).toEqual({ contacts: 0, effects: 0 });
  expect([stampsBelow(places.workspace), stampsBelow(exports)]).toEqual(stamps);
  expect(commands()).toBe(1);
});

test('resuming goes through what is recorded without looking at the workspace again', async () => {
  const { start, open, server, places, commands } = await createRunFixture();
  const millforge = open();
  const run = await start(millforge, {
    onEvent(event) {
      if (event.kind === 'model-replied' && event.turn === 6) run.stop();
    },
  });
  expect((await run.result).status).toBe('interrupted');
  const stamps = stampsBelow(places.workspace);
  const { onEvent, replayed } = collectEvents();
  const resumed = await (await millforge.resume(run.runId, { onEvent })).result;
  expect(resumed.status).toBe('success');
  expect(replayed('model-replied')).toEqual(Array.from({ length: 6 }, () => true));
  expect(replayed('call-ended')).toEqual([...Array.from({ length: 7 }, () => true), false]);
  expect(server.requestCount).toBe(6);
  expect(stampsBelow(places.workspace)).toEqual(stamps);
  expect(commands()).toBe(1);
});
