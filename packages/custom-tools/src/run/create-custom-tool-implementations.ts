import {
  deepFreeze,
  type JsonObject,
  MillforgeError,
  type Tool,
  type ToolApproval,
  type ToolImplementation,
  type ToolResult,
  type ToolRunContext,
  unreachable,
} from '@millforge/contracts';
import type { Sandbox } from '@millforge/sandbox';
import type { CompiledCustomTool } from '../compile.ts';
import type { ApprovalRequirement } from '../custom-tool-manifest.ts';
import { assertDigests } from './assert-digests.ts';
import { commandTool } from './command-tool.ts';
import { javaScriptTool } from './javascript-tool.ts';

/** Code of a tool that the program itself brings. */
export type HostFunction = (input: JsonObject, context: ToolRunContext) => Promise<ToolResult>;

/** What compiled tools are run with. */
export interface CustomToolRunOptions {
  /** The tools, of one or more compilations, as they were compiled or read back from where they were kept. */
  readonly tools: readonly CompiledCustomTool[];
  /** Where code of manifests runs; not disposed of here. */
  readonly sandbox: Sandbox;
  /** Functions for tools of the kind `host_function`, by implementation id. */
  readonly hostFunctions?: Readonly<Record<string, HostFunction>>;
}

/**
 * Puts code behind compiled tools, so that they can be registered: a function of the program, code in the
 * sandbox, or for a bare contract a refusal of every call.
 *
 * Who has to agree to a call goes with the tool, whatever kind of code is behind it.
 *
 * @throws `custom-tools/…` where digests, tools and functions do not fit together.
 */
export function createCustomToolImplementations(options: CustomToolRunOptions): readonly Tool[] {
  const functions = options.hostFunctions ?? {};
  const asked = options.tools.filter(({ record }) => record.runtime_kind === 'host_function');
  const stray = Object.keys(functions).find((id) =>
    asked.every(({ record }) => record.implementation_id !== id),
  );
  if (stray !== undefined) {
    throw new MillforgeError(
      'custom-tools/unknown-host-function',
      `No tool asks for the function ${stray}.`,
      { details: { implementation_id: stray } },
    );
  }
  return options.tools.map((given) => {
    // A copy, so that what was checked is what runs.
    const tool = deepFreeze(structuredClone(given));
    assertDigests(tool);
    const approval = APPROVALS[tool.record.approval_policy];
    return Object.freeze({
      descriptor: tool.descriptor,
      origin: 'custom' as const,
      implementation: implementationOf(tool, { ...options, hostFunctions: functions }),
      ...(approval === 'none' ? {} : { approval }),
    });
  });
}

function implementationOf(
  tool: CompiledCustomTool,
  { sandbox, hostFunctions }: Required<CustomToolRunOptions>,
): ToolImplementation {
  const { record, implementation } = tool;
  if (implementation !== null) {
    const { code } = implementation;
    return code.kind === 'sandboxed_js'
      ? javaScriptTool(tool, code, sandbox)
      : commandTool(tool, code, sandbox);
  }
  switch (record.runtime_kind) {
    case 'host_function':
      return hostTool(record.implementation_id, hostFunctions);
    case 'contract_only':
      return contractTool(record.tool_id);
    case 'sandboxed_js':
    case 'sandboxed_command':
      throw new MillforgeError('custom-tools/digest-mismatch', `${record.tool_id} has no code.`, {
        details: { tool_id: record.tool_id },
      });
    default:
      return unreachable(record.runtime_kind, 'runtime kind');
  }
}

function hostTool(
  id: string,
  functions: Readonly<Record<string, HostFunction>>,
): ToolImplementation {
  const act = Object.hasOwn(functions, id) ? functions[id] : undefined;
  if (act === undefined) {
    throw new MillforgeError(
      'custom-tools/missing-host-function',
      `A tool asks for the function ${id}; give it as hostFunctions[${JSON.stringify(id)}].`,
      { details: { implementation_id: id } },
    );
  }
  return Object.freeze({
    prepare: async (input: JsonObject) => ({
      kind: 'prepared' as const,
      before: null,
      run: (context: ToolRunContext) => act(input, context),
    }),
  });
}

function contractTool(toolId: string): ToolImplementation {
  return Object.freeze({
    prepare: async () => ({
      kind: 'refused' as const,
      code: 'not_found' as const,
      message: `${toolId} is a contract without code; do without it.`,
    }),
  });
}

const APPROVALS: Readonly<Record<ApprovalRequirement, ToolApproval>> = {
  none: 'none',
  millrace_explicit: 'explicit',
  operator_out_of_band: 'out_of_band',
  forbidden: 'forbidden',
};
