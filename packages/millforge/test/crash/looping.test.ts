/** @module-tag slow */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonValue } from '@millforge/contracts';
import { type ScriptedServer, startScriptedServer } from '@millforge/models/testing';
import { createMillforge, type Millforge } from 'millforge';
import { expect, onTestFinished, test } from 'vitest';
import { trailOf } from '../integration/run-fixture.ts';
import { bundleChild } from './bundle-child.ts';
import { LOOPING_RUN, LOOPING_TURNS, loopingReplies, loopingRequest } from './looping-run.ts';
import { makeWorkspace, type RunPlaces } from './scripted-run.ts';

interface Place {
  readonly places: RunPlaces;
  readonly directory: string;
  readonly server: ScriptedServer;
  readonly open: () => Millforge;
}

async function createPlace(replies = loopingReplies()): Promise<Place> {
  const directory = mkdtempSync(join(tmpdir(), 'millforge-loop-'));
  const places = makeWorkspace(directory);
  const server = await startScriptedServer({ replies });
  const opened: Millforge[] = [];
  onTestFinished(async () => {
    for (const millforge of opened) await millforge[Symbol.asyncDispose]();
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    places,
    directory,
    server,
    open() {
      const millforge = createMillforge({ dataDir: places.data, actor: 'ann@host' });
      opened.push(millforge);
      return millforge;
    },
  };
}

/** The body of the request of every turn; a turn that was asked for twice was asked for alike. */
function requestOfTurns({ server, places }: Place): readonly string[] {
  const turns = new Map<number, Set<string>>();
  for (const { text } of server.requests) {
    const turn = text.split('"role":"assistant"').length;
    turns.set(turn, (turns.get(turn) ?? new Set()).add(text.replaceAll(places.workspace, '.')));
  }
  return [...turns.values()].flatMap((texts) => (texts.size === 1 ? [...texts] : ['differs']));
}

function fieldOf(data: JsonValue, name: string): JsonValue {
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  return isObject ? (Object.entries(data).find(([key]) => key === name)?.[1] ?? null) : null;
}

/** What the trail says that the guard did, without the run's own places and times. */
async function corrections(millforge: Millforge): Promise<readonly string[]> {
  const records = await trailOf(millforge, LOOPING_RUN);
  const told = ['call-repeated', 'call-refused', 'model-re-asked', 'terminal-accepted'];
  return records.flatMap(({ type, data }) =>
    told.includes(type) ? [`${JSON.stringify(fieldOf(data, 'step'))} ${type}`] : [],
  );
}

async function runToItsEnd(place: Place) {
  const millforge = place.open();
  const { places, server } = place;
  const run = await millforge.run(loopingRequest(millforge, { places, serverUrl: server.url }));
  return { millforge, result: await run.result };
}

test('a run that goes round in circles is told, then stopped from it, and made to call in the end', async () => {
  const place = await createPlace();
  const { millforge, result } = await runToItsEnd(place);
  expect(result.status).toBe('success');
  expect(result.usage).toMatchObject({ tool_calls: 7 });
  expect(await corrections(millforge)).toEqual([
    '5 call-repeated',
    '6 call-repeated',
    '7 call-refused',
    '8 model-re-asked',
    '9 model-re-asked',
    '10 terminal-accepted',
  ]);
  const choices = requestOfTurns(place).map((text) => JSON.parse(text).tool_choice ?? null);
  expect(choices).toEqual([...Array.from({ length: 9 }, () => null), 'required']);
  expect((await millforge.verifyTrail(LOOPING_RUN)).ok).toBe(true);
});

test('killed in the circle and again after two questions, the run asks and tells the same', async () => {
  const program = await bundleChild(join(import.meta.dirname, 'looping-child.ts'));
  const undisturbed = await createPlace();
  const whole = await runToItsEnd(undisturbed);
  const killed = await createPlace();
  for (const [turn, mode] of [
    ['6', 'start'],
    ['9', 'resume'],
  ] as const) {
    const given = [program, killed.directory, killed.server.url, turn, mode];
    const child = spawn(process.execPath, given, { timeout: 20_000, stdio: 'ignore' });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  }
  const millforge = killed.open();
  const result = await (await millforge.resume(LOOPING_RUN)).result;
  expect(result.status).toBe('success');
  expect(result.usage).toEqual(whole.result.usage);
  expect(await corrections(millforge)).toEqual(await corrections(whole.millforge));
  expect(requestOfTurns(killed)).toEqual(requestOfTurns(undisturbed));
  expect(killed.server.requestCount).toBe(LOOPING_TURNS);
  expect((await millforge.verifyTrail(LOOPING_RUN)).ok).toBe(true);
});

test('a third text in a row is one more than two, and ends the run with its last text', async () => {
  const talk = { content: 'That was all, I believe.' };
  const place = await createPlace([...loopingReplies().slice(0, 9), talk, talk]);
  const { millforge, result } = await runToItsEnd(place);
  expect(result).toMatchObject({ status: 'budget_exhausted', usage: { tool_calls: 6 } });
  expect(place.server.requestCount).toBe(10);
  const records = await trailOf(millforge, LOOPING_RUN);
  expect(records.find(({ type }) => type === 'budget-exhausted')?.data).toMatchObject({
    data: { budget: 'validation_retries' },
  });
  expect((await millforge.verifyTrail(LOOPING_RUN)).ok).toBe(true);
});
