import type { SandboxLimits } from '@millforge/sandbox';
import type { CompiledCustomTool } from '../compile.ts';
import type { ImplementationLimits } from '../custom-tool-manifest.ts';

/** The limits of one call as the sandbox takes them; time is that of the descriptor. */
export function sandboxLimits(
  { descriptor }: CompiledCustomTool,
  limits: ImplementationLimits,
): Partial<SandboxLimits> {
  const { memory_bytes, processes, output_bytes, disk_bytes } = limits;
  return {
    timeoutMs: descriptor.timeout_policy.timeout_seconds * 1000,
    ...(memory_bytes === undefined ? {} : { memoryBytes: memory_bytes }),
    ...(processes === undefined ? {} : { processes }),
    ...(output_bytes === undefined ? {} : { outputBytes: output_bytes }),
    ...(disk_bytes === undefined ? {} : { diskBytes: disk_bytes }),
  };
}
