/** @module-tag slow */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { bundleChild } from '../crash/bundle-child.ts';
import { createRunFixture } from './run-fixture.ts';

test('a run that another process is at is running, and interrupted as soon as that process is dead', async () => {
  const fixture = await createRunFixture({ faults: { 1: { kind: 'hang' } } });
  const { data, workspace } = fixture.places;
  const program = await bundleChild(join(import.meta.dirname, 'hanging-run.ts'));
  onTestFinished(() => rmSync(dirname(dirname(program)), { recursive: true, force: true }));
  const args = [program, data, workspace, fixture.server.url, 'run-1'];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await fixture.server.arrived(1);

  const millforge = fixture.open();
  const seen = async () => {
    const shown = await runCli(['runs', 'run-1', '--data', data], { cwd: fixture.directory });
    const [run] = await millforge.listRuns();
    const { status, failure_message } = await millforge.readRun('run-1');
    return {
      listed: run?.status,
      read: [status, failure_message],
      shown: [shown.code, ...shown.stdout.split('\n').slice(0, 2)],
    };
  };
  const place = `  run run-1, trail ${join(data, 'trail.db')}`;
  expect(await seen()).toEqual({
    listed: 'running',
    read: ['running', null],
    shown: [0, 'running', place],
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const gone = 'The process that ran it is gone; resume it to go on where it was.';
  expect(await seen()).toEqual({
    listed: 'interrupted',
    read: ['interrupted', gone],
    shown: [0, 'interrupted', `  ${gone}`],
  });
});
