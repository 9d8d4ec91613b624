import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type McpStdioOptions, mcpStdioTransport } from '@millforge/connector-mcp';
import type { ConnectorInvocationRequest } from '@millforge/connectors';
import type { Clock, JsonObject } from '@millforge/contracts';

/** The time of this machine. */
const clock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
};

/** A transport to the fixture in one of its modes. */
export function fixture(mode: string, options: Partial<McpStdioOptions> = {}) {
  const script = join(import.meta.dirname, 'stdio-server.mjs');
  return mcpStdioTransport({
    command: process.execPath,
    args: [script, mode],
    folder: import.meta.dirname,
    name: 'fixture',
    pinnedFiles: [script],
    clock,
    graceMs: 300,
    ...options,
  });
}

/** A call of one tool. */
export function request(tool: string, input: JsonObject = {}): ConnectorInvocationRequest {
  const zeros = '0'.repeat(64);
  return {
    connector_id: 'connector.subject',
    provider_tool_name: tool,
    tool_id: 'connector.subject.tool',
    tool_version: 1,
    descriptor_sha256: zeros,
    connector_identity_sha256: zeros,
    discovery_snapshot_sha256: zeros,
    raw_tool_sha256: zeros,
    arguments: input,
    run_id: 'run',
    call_id: 'call',
    timeout_seconds: 10,
    idempotency_key: null,
  };
}

/** Options of work that nobody stops. */
export function live(): { readonly signal: AbortSignal } {
  return { signal: new AbortController().signal };
}

/** Options of work that is stopped after so many milliseconds. */
export function within(ms: number): { readonly signal: AbortSignal } {
  return { signal: AbortSignal.timeout(ms) };
}

/** Processes of this machine whose command line has a text in it. */
export function processesWith(text: string): readonly string[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  return listed.split('\n').filter((line) => line.includes(text) && !line.includes('ps -eo'));
}

/** Waits until something is so, for at most five seconds. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 5000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error('It did not come to be so within five seconds.');
    await clock.delay(10);
  }
}
