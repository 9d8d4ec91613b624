import type { ToolResult } from '@millforge/contracts';
import type { SandboxResult } from '@millforge/sandbox';

/** Adds where the code ran, so that the trail of a run says it when that was no boundary. */
export function withEvidence(told: ToolResult, result: SandboxResult): ToolResult {
  if (!('containment' in result)) return told;
  const { tier, isBoundary } = result.containment;
  return { ...told, after: { sandbox_tier: tier, is_boundary: isBoundary } };
}
