import type { CapabilityGrant, Diagnostic } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';

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
  grants: readonly CapabilityGrant[],
): CapabilityCheck {
  const granted = new Set(grants.map((grant) => grant.capabilityId));
  const needing = new Map<string, ResolvedNode[]>();
  for (const node of harness.nodes) {
    for (const capability of node.tool?.required_capabilities ?? []) {
      const nodes = needing.get(capability);
      if (nodes === undefined) needing.set(capability, [node]);
      else nodes.push(node);
    }
  }
  const requiredCapabilities = [...needing.keys()].toSorted();
  const diagnostics = requiredCapabilities.flatMap((capability) => {
    if (granted.has(capability)) return [];
    const [first, ...others] = needing.get(capability) ?? [];
    return [
      report.capabilityNotGranted({
        path: first === undefined ? '/graph/nodes' : `${first.path}/tool_ref`,
        ...(first === undefined ? {} : { nodeId: first.nodeId }),
        related: others.map(({ nodeId }) => nodeId),
        hint: `Grant it with --grant ${capability}, or bind a tool that does not need it.`,
        fields: { capability_id: capability },
      }),
    ];
  });
  return { requiredCapabilities, diagnostics };
}
