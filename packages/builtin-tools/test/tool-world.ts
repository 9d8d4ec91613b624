import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltinToolOptions, builtinTools } from '@millforge/builtin-tools';
import type {
  Clock,
  JsonObject,
  JsonValue,
  PreparedTool,
  ToolReconciliation,
  ToolRefusal,
  ToolResult,
} from '@millforge/contracts';
import { onTestFinished } from 'vitest';

/** The tools over a temporary workspace, called as an executor would. */
export interface ToolWorld {
  /** Holds the workspace and its surroundings. */
  readonly folder: string;
  readonly workspace: string;
  /** Takes a call through its stages; a refusal counts as a failed result. */
  call(name: string, input: JsonObject, options?: CallOptions): Promise<ToolResult>;
  prepare(name: string, input: JsonObject): Promise<PreparedTool | ToolRefusal>;
  reconcile(
    name: string,
    input: JsonObject,
    after: { readonly before: JsonValue } & CallOptions,
  ): Promise<ToolReconciliation>;
  run(prepared: PreparedTool): Promise<ToolResult>;
  path(relative: string): string;
  write(relative: string, content: string | Uint8Array): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}

export async function toolWorld(
  options: BuiltinToolOptions = {},
  parent?: string,
): Promise<ToolWorld> {
  const folder = await temporaryFolder(parent);
  const workspace = join(folder, 'workspace');
  await mkdir(workspace);
  const tools = builtinTools(options);
  const context = (call: CallOptions = {}) => ({
    runId: 'run-1',
    callId: 'call-1',
    workspace,
    signal: call.signal ?? new AbortController().signal,
    clock: realClock,
    idempotencyKey: call.idempotencyKey ?? `key of ${folder}`,
  });
  const find = (name: string) => {
    const found = tools.find((tool) => tool.descriptor.model_tool_name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found.implementation;
  };
  const prepare = async (name: string, input: JsonObject, call?: CallOptions) => {
    const refusal = find(name).check?.(input, context(call)) ?? null;
    return refusal ?? find(name).prepare(input, context(call));
  };
  return {
    folder,
    workspace,
    path: (relative) => join(workspace, relative),
    async write(relative, content) {
      await mkdir(dirname(join(workspace, relative)), { recursive: true });
      await writeFile(join(workspace, relative), content);
    },
    prepare,
    run: (prepared) => prepared.run(context()),
    async call(name, input, call) {
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
    async reconcile(name, input, { before, ...call }) {
      const answer = await find(name).reconcile?.(input, { ...context(call), before });
      if (answer === undefined) throw new Error(`${name} cannot reconcile`);
      return answer;
    },
  };
}

/** A folder of its own for one test. */
export async function temporaryFolder(parent = tmpdir()): Promise<string> {
  const folder = await realpath(await mkdtemp(join(parent, 'millforge-builtin-tools-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The structured result of a call that has to succeed. */
export function dataOf(result: ToolResult): JsonObject {
  if (result.kind === 'done') return result.data ?? {};
  throw new Error(`failed: ${result.code} ${result.text}`);
}

/** The code and the rule of a call that has to fail. */
export function faultOf(result: ToolResult): string {
  if (result.kind === 'done') throw new Error(`succeeded: ${result.text}`);
  return `${result.code} ${/^\w+(?=:)/.exec(result.text)?.[0] ?? result.text}`;
}

/** Waits, within a bound, until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await holds()) return;
    await sleep(10);
  }
  throw new Error('it never came about');
}

export const realClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  delay: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};
