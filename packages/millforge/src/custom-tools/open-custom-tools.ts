import type { CustomToolsOpener } from '@millforge/cli';
import { type CompiledCustomTool, compileCustomTools } from '@millforge/custom-tools';
import { createCustomToolImplementations } from '@millforge/custom-tools/run';
import { createHostSandbox } from '../sandbox/create-host-sandbox.ts';

/**
 * Compiles the manifests of a project, and puts their code behind them in the sandbox of this host. Nothing runs
 * before a tool is called. Tools whose code is a program's are left out and named.
 */
export const openCustomTools: CustomToolsOpener = ({ manifests, policy, env }) => {
  const compiled: CompiledCustomTool[] = [];
  for (const { content, format, path } of manifests) {
    const result = compileCustomTools({ content, format, logicalPath: path }, policy);
    if (!result.ok) return { ok: false, path, diagnostics: result.diagnostics };
    compiled.push(...result.value.tools);
  }
  const usable = compiled.filter((tool) => !isOfProgram(tool));
  const sandbox = createHostSandbox({ env });
  return {
    ok: true,
    tools: createCustomToolImplementations({ tools: usable, sandbox }),
    kinds: usable.map(({ record }) => record.runtime_kind),
    leftOut: compiled.filter(isOfProgram).map(({ record }) => ({
      toolId: record.tool_id,
      toolVersion: record.tool_version,
      implementationId: record.implementation_id,
    })),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
};

function isOfProgram({ record }: CompiledCustomTool): boolean {
  return record.runtime_kind === 'host_function';
}
