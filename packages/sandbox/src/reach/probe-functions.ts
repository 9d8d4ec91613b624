import type { JsonValue } from '@millforge/contracts';
import type { Sandbox } from '../sandbox.ts';
import type { CallResult } from '../sandbox-result.ts';
import type { Canary } from './canary.ts';
import type { ProbeFindings } from './probe-commands.ts';

/** Calls a function that tries to reach the canary. */
export async function probeFunctions(
  sandbox: Sandbox,
  canary: Canary,
): Promise<{ readonly findings: ProbeFindings; readonly result: CallResult }> {
  const { file, written, port, secret } = canary;
  const result = await sandbox.call({ source: PROBE, input: { file, written, port } });
  const said = result.kind === 'returned' ? fieldsOf(result.value) : {};
  const hasLooked = Array.isArray(said['texts']);
  const environment = said['environment'];
  const findings: ProbeFindings = {
    reached: {
      host_file_read: hasLooked ? JSON.stringify(said['texts']).includes(secret) : null,
      host_file_written: hasLooked ? await canary.wasWritten() : null,
      host_process: hasLooked ? said['sees_process'] === true : null,
      host_loopback: hasLooked ? canary.wasConnected() : null,
      process_start: hasLooked ? said['starts'] === true : null,
      user_namespace: hasLooked ? false : null,
    },
    environmentNames: Array.isArray(environment) ? environment.map(String).toSorted() : null,
    userId: null,
    interfaces: null,
    visibleProcesses: null,
  };
  return { findings, result };
}

function fieldsOf(value: JsonValue): Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

const PROBE = `export default async ({ file, written, port }) => {
  const texts = [];
  const attempt = async (act) => { try { const got = await act(); texts.push(String(got)); return true; } catch { return false; } };
  const root = Function('return globalThis')();
  const modules = ['fs', 'node:fs', 'std', 'os', 'qjs:std', 'qjs:os', 'bjson', file, 'file://' + file];
  for (const name of modules) await attempt(async () => JSON.stringify(await import(name)));
  for (const found of [root.std, root.os, root.process, root.require, root.Deno, root.Bun]) {
    if (found === undefined) continue;
    await attempt(() => found.loadFile(file));
    await attempt(() => found.open(written, 'w').puts('probe'));
    await attempt(() => found('node:fs').readFileSync(file));
    await attempt(() => found('node:fs').writeFileSync(written, 'probe'));
  }
  await attempt(() => root.fetch('http://127.0.0.1:' + port));
  await attempt(() => new root.WebSocket('ws://127.0.0.1:' + port));
  await attempt(() => new root.XMLHttpRequest().open('GET', 'http://127.0.0.1:' + port));
  const environment = Object.keys(root.process?.env ?? root.std?.getenviron?.() ?? {});
  const starts = await attempt(() => root.os.exec(['true'])) || await attempt(() => root.process.binding('spawn_sync'));
  return { texts, environment, starts, sees_process: root.process !== undefined };
};`;
