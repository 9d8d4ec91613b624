import type { Diagnostic } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { ResolvedHarness } from '../resolve/resolved-harness.ts';

/** What the tools of a harness need, and what of it is not granted. */
export interface CapabilityCheck {
  /** Union of what the resolved tools need, sorted. */
  readonly requiredCapabilities: readonly string[];
  /** One per capability that is needed and not granted. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Checks that everything the tools need is granted, by exact name; grants beyond that do no harm. */
export function checkCapabilities(
  harness: ResolvedHarness,
  grants: readonly string[],
): CapabilityCheck {
  const granted = new Set(grants);
  const needing = new Map<string, string[]>();
  for (const { nodeId, tool } of harness.nodes) {
    for (const capability of tool?.required_capabilities ?? []) {
      const nodes = needing.get(capability);
      if (nodes === undefined) needing.set(capability, [nodeId]);
      else nodes.push(nodeId);
    }
  }
  const requiredCapabilities = [...needing.keys()].toSorted();
  const diagnostics = requiredCapabilities.flatMap((capability) => {
    if (granted.has(capability)) return [];
    const [nodeId = '', ...related] = needing.get(capability) ?? [];
    const fields = { capability_id: capability };
    return [report.capabilityNotGranted({ path: '/', nodeId, related, fields })];
  });
  return { requiredCapabilities, diagnostics };
}
