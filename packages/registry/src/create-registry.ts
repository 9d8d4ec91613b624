import { MillforgeError, type Tool } from '@millforge/contracts';
import { admitTool } from './admit-tool.ts';
import { createSnapshot } from './create-snapshot.ts';
import type { RegisteredTool, RegistrySnapshot } from './registry-snapshot.ts';

/** Tools being collected; nothing can be looked up until it is frozen. */
export interface Registry {
  /**
   * Adds tools, all or none.
   *
   * @throws `registry/frozen` after `freeze`.
   * @throws `registry/invalid-descriptor` for a descriptor or code that is not well-formed.
   * @throws `registry/reserved-id` for an id whose prefix belongs to another origin.
   * @throws `registry/duplicate-tool` for an id and version that are taken.
   * @throws `registry/duplicate-implementation` for an implementation id that is taken.
   */
  register(...tools: readonly Tool[]): void;
  /** Ends registration; the same snapshot every time, whatever the order of registration was. */
  freeze(): RegistrySnapshot;
}

/** What a registry throws. */
export type RegistryErrorCode =
  | 'registry/frozen'
  | 'registry/invalid-descriptor'
  | 'registry/reserved-id'
  | 'registry/duplicate-tool'
  | 'registry/duplicate-implementation'
  | 'registry/call-spent';

/** Makes an empty registry. */
export function createRegistry(): Registry {
  let byReference = new Map<string, RegisteredTool>();
  let snapshot: RegistrySnapshot | null = null;
  return Object.freeze({
    register(...tools: readonly Tool[]) {
      if (snapshot !== null) {
        throw new MillforgeError(
          'registry/frozen',
          'The registry is frozen; register every tool before the first freeze().',
        );
      }
      const next = new Map(byReference);
      const implementationIds = new Set(
        [...next.values()].map((tool) => tool.descriptor.implementation_id),
      );
      for (const tool of tools) add(admitTool(tool), next, implementationIds);
      byReference = next;
    },
    freeze() {
      snapshot ??= createSnapshot([...byReference.values()]);
      return snapshot;
    },
  });
}

function add(
  tool: RegisteredTool,
  byReference: Map<string, RegisteredTool>,
  implementationIds: Set<string>,
): void {
  const { tool_id: id, tool_version: version, implementation_id: code } = tool.descriptor;
  const reference = `${id}@${version}`;
  if (byReference.has(reference)) {
    throw new MillforgeError(
      'registry/duplicate-tool',
      `The tool ${reference} is registered already; raise its version or leave it out.`,
      { details: { tool_id: id, tool_version: version } },
    );
  }
  if (implementationIds.has(code)) {
    throw new MillforgeError(
      'registry/duplicate-implementation',
      `The tool ${reference} names an implementation id that another tool has; give it its own.`,
      { details: { tool_id: id, implementation_id: code } },
    );
  }
  byReference.set(reference, tool);
  implementationIds.add(code);
}
