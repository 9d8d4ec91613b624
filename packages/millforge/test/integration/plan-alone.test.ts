import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, createMillforge } from 'millforge';
import { compileHarness, toModelProfileCatalog, toToolCatalog } from 'millforge/compiler';
import { expect, test } from 'vitest';
import { GRANTS, HARNESS } from '../crash/scripted-run.ts';
import { collectEvents, createRunFixture, type RunFixture } from './run-fixture.ts';

/** Compiles a project of source, catalog and configuration into a plan file, and deletes the project. */
function planOfDeletedProject({ directory }: RunFixture): {
  readonly bytes: string;
  readonly sha256: string;
} {
  const project = join(directory, 'project');
  mkdirSync(join(project, '.millforge'), { recursive: true });
  const source = join(project, 'harness.yaml');
  const catalog = join(project, 'catalog.json');
  const config = join(project, '.millforge/config.json');
  writeFileSync(source, HARNESS);
  writeFileSync(catalog, JSON.stringify(catalogDocument()));
  writeFileSync(config, JSON.stringify({ grants: GRANTS, profiles: ['test.small'] }));

  const { grants, profiles } = JSON.parse(readFileSync(config, 'utf8'));
  const compiled = compileHarness(readFileSync(source), {
    catalog: toToolCatalog(readFileSync(catalog, 'utf8')),
    profiles: toModelProfileCatalog(profiles),
    request: { grants },
  });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  const file = join(directory, 'plan.json');
  writeFileSync(file, compiled.bytes);
  rmSync(project, { recursive: true });
  const bytes = readFileSync(file, 'utf8');
  rmSync(file);
  return { bytes, sha256: compiled.sha256 };
}

/** The tools that ship, as a document that a project keeps beside its harness. */
function catalogDocument(): unknown {
  const { catalog, snapshot } = createMillforge({ dataDir: null });
  const tools = snapshot.records.flatMap(({ tool_id, tool_version }) => {
    const found = catalog.resolveExact(tool_id, tool_version);
    return found.classification === 'found' ? [found.entry] : [];
  });
  return { kind: 'tool_catalog', schema_version: '1.0', tools };
}

/** This machine's clock, so many days ahead. */
function clockAhead(days: number): Clock {
  const aheadMs = days * 24 * 60 * 60 * 1000;
  return {
    now: () => Date.now() + aheadMs,
    monotonicMs: () => performance.now(),
    delay: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
  };
}

test('a plan runs after its source, its catalog and its configuration are gone', async () => {
  const fixture = await createRunFixture();
  const plan = planOfDeletedProject(fixture);
  const millforge = fixture.open();
  const result = await (await fixture.start(millforge, { plan })).result;
  expect(result).toMatchObject({ status: 'success', terminal_result: 'COMPLETE' });
  expect(fixture.commands()).toBe(1);
});

test('a run that was suspended today is resumed tomorrow, from its trail alone', async () => {
  const fixture = await createRunFixture();
  const plan = planOfDeletedProject(fixture);
  const today = fixture.open();
  const run = await fixture.start(today, {
    plan,
    onEvent(event) {
      if (event.kind === 'call-ended' && event.tool === 'bash') run.stop();
    },
  });
  expect((await run.result).status).toBe('interrupted');
  await today[Symbol.asyncDispose]();

  const tomorrow = fixture.open({ clock: clockAhead(1) });
  expect((await tomorrow.readRun(run.runId)).status).toBe('interrupted');
  const { onEvent, replayed } = collectEvents();
  const resumed = await (await tomorrow.resume(run.runId, { onEvent })).result;
  expect(resumed.status).toBe('success');
  expect(replayed('model-replied')).toEqual([true, true, true, true, false, false]);
  expect(fixture.server.requestCount).toBe(6);
  expect(fixture.commands()).toBe(1);
  expect((await tomorrow.verifyTrail(run.runId)).ok).toBe(true);
});

test('a run whose clock was set back between two days is resumed all the same', async () => {
  const fixture = await createRunFixture();
  const ahead = fixture.open({ clock: clockAhead(2) });
  const run = await fixture.start(ahead, {
    onEvent(event) {
      if (event.kind === 'model-replied' && event.turn === 3) run.stop();
    },
  });
  expect((await run.result).status).toBe('interrupted');
  await ahead[Symbol.asyncDispose]();
  const back = fixture.open();
  expect((await (await back.resume(run.runId)).result).status).toBe('success');
  expect((await back.verifyTrail(run.runId)).ok).toBe(true);
});
