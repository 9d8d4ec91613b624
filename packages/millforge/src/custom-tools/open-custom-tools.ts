import type { CustomToolsOpener } from '@millforge/cli';
import { compileCustomTools } from '@millforge/custom-tools';
import { createCustomToolImplementations } from '@millforge/custom-tools/run';
import { millforgeError } from '../millforge-error.ts';
import { createHostSandbox } from '../sandbox/create-host-sandbox.ts';

/**
 * Compiles the manifests of a project, and puts their code behind them in the sandbox of this host. Nothing runs
 * before a tool is called.
 */
export const openCustomTools: CustomToolsOpener = ({ manifests, policy, env }) => {
  const compiled = [];
  for (const { content, format, path } of manifests) {
    const result = compileCustomTools({ content, format, logicalPath: path }, policy);
    if (!result.ok) return { ok: false, path, diagnostics: result.diagnostics };
    const asking = result.value.tools.find(({ record }) => record.runtime_kind === 'host_function');
    if (asking !== undefined) {
      throw millforgeError(
        'millforge/document',
        `${path}: ${asking.record.tool_id} asks for the function ${asking.record.implementation_id} of a program, and here only code of the manifest runs.`,
      );
    }
    compiled.push(...result.value.tools);
  }
  const sandbox = createHostSandbox({ env });
  return {
    ok: true,
    tools: createCustomToolImplementations({ tools: compiled, sandbox }),
    kinds: compiled.map(({ record }) => record.runtime_kind),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
};
