import { type ArtifactStore, canonicalJson } from '@millforge/contracts';
import { measureReach } from '@millforge/sandbox';
import { expect, test } from 'vitest';
import { clock, ids } from './real-clock.ts';
import { need, sandbox } from './real-sandbox.ts';

test('functions reach nothing', async () => {
  const { report, artifact } = await measureReach(sandbox(), { of: 'functions', clock, ids });
  expect(report).toMatchObject({
    kind: 'millforge_reach_report',
    tier: 'quickjs',
    is_boundary: true,
    reached: {
      host_file_read: false,
      host_file_written: false,
      host_process: false,
      host_loopback: false,
      process_start: false,
      user_namespace: false,
    },
    environment_names: [],
    contradictions: [],
  });
  expect(artifact).toBeNull();
});

test('commands behind bubblewrap reach their own processes and nothing of the host', async (context) => {
  const walls = sandbox();
  await need(context, walls, 'sandbox');
  const { report } = await measureReach(walls, { of: 'commands', clock, ids });
  expect(report).toMatchObject({
    tier: 'bubblewrap',
    reached: {
      host_file_read: false,
      host_file_written: false,
      host_process: false,
      host_loopback: false,
      process_start: true,
      user_namespace: false,
    },
    environment_names: ['HOME', 'PATH', 'PWD'],
    user_id: 65534,
    interfaces: ['lo'],
    contradictions: [],
  });
  expect(report.visible_processes).toBeLessThan(8);
});

test('a process of this host reaches all of it, and its table claims nothing else', async () => {
  const made = sandbox({ commandTier: { kind: 'process', acceptsNoBoundary: true } });
  const { report } = await measureReach(made, { of: 'commands', clock, ids });
  expect(report).toMatchObject({
    tier: 'process',
    is_boundary: false,
    reached: {
      host_file_read: true,
      host_file_written: true,
      host_process: true,
      host_loopback: true,
    },
    contradictions: [],
  });
});

test('a table that claims too much is contradicted', async () => {
  const real = sandbox({ commandTier: { kind: 'process', acceptsNoBoundary: true } });
  const boasting: typeof real = {
    ...real,
    async run(request, options) {
      const result = await real.run(request, options);
      if (!('containment' in result)) return result;
      const { holds } = result.containment;
      const claimed = Object.entries(holds).map(([topic]) => [topic, { stops: true, by: 'magic' }]);
      return {
        ...result,
        containment: { ...result.containment, holds: { ...holds, ...Object.fromEntries(claimed) } },
      };
    },
  };
  const { report } = await measureReach(boasting, { of: 'commands', clock, ids });
  expect(report.contradictions).toEqual(
    expect.arrayContaining([
      'read-host-files',
      'write-host-files',
      'see-host-processes',
      'use-network',
    ]),
  );
});

test('the report is kept as canonical bytes', async () => {
  const kept: string[] = [];
  const artifacts: ArtifactStore = {
    async put(bytes, { mediaType }) {
      if (!(bytes instanceof Uint8Array)) throw new TypeError('bytes');
      kept.push(Buffer.from(bytes).toString());
      return { sha256: 'a'.repeat(64), bytes: bytes.length, media_type: mediaType };
    },
    async *open() {},
  };
  const { report, artifact } = await measureReach(sandbox(), {
    of: 'functions',
    clock,
    ids,
    artifacts,
  });
  expect(artifact?.media_type).toBe('application/json');
  expect(kept[0]).toBe(canonicalJson(JSON.parse(JSON.stringify(report))));
});

test('a sandbox that runs nothing is not measured', async () => {
  const made = sandbox({ commandTier: { kind: 'bubblewrap', program: '/no/bwrap' } });
  await expect(measureReach(made, { of: 'commands', clock, ids })).rejects.toMatchObject({
    code: 'sandbox/unmeasured',
  });
});
