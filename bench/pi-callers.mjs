// Both sides of the comparison of coding tools, as `(tool, input, cwd) => Promise`.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { piTools } from '../packages/pi-tools/dist/index.js';

const ORACLE = join(import.meta.dirname, '../tests/pi-oracle/package.json');

/** The tools of Millforge, each taken through its stages. */
export function ourCaller(root, options = {}) {
  const clock = {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    delay: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  };
  const tools = piTools({ environment: process.env, logDirectory: root, ...options });
  const { signal } = new AbortController();
  let calls = 0;
  return async (name, input, workspace) => {
    const tool = tools.find(({ descriptor }) => descriptor.model_tool_name === name).implementation;
    calls += 1;
    const key = `bench ${calls}`;
    const context = { runId: 'r', callId: key, workspace, signal, clock, idempotencyKey: key };
    const prepared = tool.check?.(input, context) ?? (await tool.prepare(input, context));
    if (prepared.kind === 'refused') throw new Error(prepared.message);
    const result = await prepared.run(context);
    await prepared.dispose?.();
    if (result.kind === 'failed') throw new Error(result.text);
  };
}

/** The tools of Pi, with the programs that they start. */
export async function piCaller(root) {
  const require = createRequire(ORACLE);
  const bin = join(root, 'agent/bin');
  mkdirSync(bin, { recursive: true });
  const { rgPath } = await import(pathToFileURL(require.resolve('@vscode/ripgrep')).href);
  symlinkSync(rgPath, join(bin, 'rg'));
  // The fd of Debian 12 does not know one of the flags.
  const drop = '[ "$one" = --no-require-git ] || set -- "$@" "$one"';
  const script = `#!/bin/sh\nfor one in "$@"; do shift; ${drop}; done\nexec fdfind "$@"\n`;
  writeFileSync(join(bin, 'fd'), script);
  chmodSync(join(bin, 'fd'), 0o755);
  process.env.PI_OFFLINE = '1';
  process.env.PI_CODING_AGENT_DIR = join(root, 'agent');
  process.env.TMPDIR = root;
  const pi = join(ORACLE, '../node_modules/@earendil-works/pi-coding-agent');
  const { createTool } = await import(pathToFileURL(join(pi, 'dist/core/tools/index.js')).href);
  return async (name, input, cwd) => createTool(name, cwd).execute('id', input);
}
