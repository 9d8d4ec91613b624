import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Clock,
  JsonObject,
  PreparedTool,
  Tool,
  ToolReconciliation,
  ToolRefusal,
  ToolResult,
} from '@millforge/contracts';
import { type PiToolOptions, piTools } from '@millforge/pi-tools';
import { onTestFinished } from 'vitest';

/** The tools over a temporary workspace, called as an executor would. */
export interface ToolWorld {
  readonly workspace: string;
  /** Key of every call that is given none; no other run of the tests has it. */
  readonly key: string;
  /** Takes a call through its stages; a refusal counts as a failed result. */
  call(name: string, input: JsonObject, options?: CallOptions): Promise<ToolResult>;
  prepare(name: string, input: JsonObject): Promise<PreparedTool | ToolRefusal>;
  reconcile(
    name: string,
    input: JsonObject,
    before: JsonObject | null,
  ): Promise<ToolReconciliation>;
  path(relative: string): string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
  readonly onUpdate?: (text: string) => void;
}

export async function toolWorld(
  options: PiToolOptions = {},
  more: readonly Tool[] = [],
): Promise<ToolWorld> {
  const workspace = await temporaryFolder();
  const key = `key of ${workspace}`;
  const pi = piTools({
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    homeDirectory: join(workspace, 'home'),
    logDirectory: workspace,
    ...options,
  });
  const tools = [...pi, ...more];
  const context = (call: CallOptions) => ({
    runId: 'run-1',
    callId: 'call-1',
    workspace,
    signal: call.signal ?? new AbortController().signal,
    clock: realClock,
    idempotencyKey: call.idempotencyKey ?? key,
    ...(call.onUpdate === undefined ? {} : { onUpdate: call.onUpdate }),
  });
  const find = (name: string) => {
    const found = tools.find((tool) => tool.descriptor.model_tool_name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found.implementation;
  };
  const prepare = async (name: string, input: JsonObject, call: CallOptions = {}) => {
    const refusal = find(name).check?.(input, context(call)) ?? null;
    return refusal ?? find(name).prepare(input, context(call));
  };
  return {
    workspace,
    key,
    path: (relative) => join(workspace, relative),
    prepare,
    async call(name, input, call = {}) {
      const prepared = await prepare(name, input, call);
      if (prepared.kind === 'refused') {
        return { kind: 'failed', code: prepared.code, text: prepared.message };
      }
      try {
        return await prepared.run(context(call));
      } finally {
        await prepared.dispose?.();
      }
    },
    async reconcile(name, input, before) {
      const answer = await find(name).reconcile?.(input, { ...context({}), before });
      if (answer === undefined) throw new Error(`${name} cannot reconcile`);
      return answer;
    },
  };
}

/** A folder of its own for one test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'millforge-pi-tools-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The text of a result that has to be one of success. */
export function textOf(result: ToolResult): string {
  if (result.kind === 'done') return result.text ?? '';
  throw new Error(`failed: ${result.code} ${result.text}`);
}

/** Waits, within a bound, until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await holds()) return;
    await sleep(10);
  }
  throw new Error('it never came about');
}

const realClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};
