import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  type ToolImplementation,
  type ToolResult,
} from '@millforge/contracts';
import type { CallResult, Sandbox } from '@millforge/sandbox';
import type { CompiledCustomTool } from '../compile.ts';
import type { JavaScriptImplementation } from '../custom-tool-manifest.ts';
import { noAnswer } from './no-answer.ts';
import { sandboxLimits } from './sandbox-limits.ts';
import { withEvidence } from './with-evidence.ts';

/** Runs a tool as a function in QuickJS. */
export function javaScriptTool(
  tool: CompiledCustomTool,
  { source, entry, limits }: JavaScriptImplementation,
  sandbox: Sandbox,
): ToolImplementation {
  return Object.freeze({
    reach: () => ({ paths: [], hosts: [], commands: [] }),
    prepare: async (input: JsonObject) => ({
      kind: 'prepared' as const,
      before: null,
      async run({ signal }: { readonly signal: AbortSignal }) {
        const call = { source, entry, input, limits: sandboxLimits(tool, limits) };
        const result = await sandbox.call(call, { signal });
        return withEvidence(answer(result, signal), result);
      },
    }),
    // It reaches nothing, so that nothing can have happened.
    reconcile: async () => ({ kind: 'not-happened' as const }),
  });
}

function answer(result: CallResult, signal: AbortSignal): ToolResult {
  if (result.kind === 'returned') return structured(result.value);
  if (result.kind === 'threw') {
    const { name, message } = result.error;
    return { kind: 'failed', code: 'implementation_error', text: `${name}: ${message}` };
  }
  return noAnswer(result, { broken: 'confirmed_absent', signal });
}

/** A structured result is an object; whether it is the right one the executor finds out. */
export function structured(value: JsonValue): ToolResult {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const text = 'The tool gave no object.';
    return { kind: 'failed', code: 'output_validation_failed', text };
  }
  const data: JsonObject = Object.fromEntries(Object.entries(value));
  return { kind: 'done', text: canonicalJson(data, { newline: false }), data };
}
