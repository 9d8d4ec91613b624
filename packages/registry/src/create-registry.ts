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
      const byCode = new Map(
        [...next.values()].map((tool) => [tool.descriptor.implementation_id, tool]),
      );
      for (const tool of tools) add(admitTool(tool), next, byCode);
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
  byCode: Map<string, RegisteredTool>,
): void {
  const { tool_id: id, tool_version: version, implementation_id: code } = tool.descriptor;
  const reference = `${id}@${version}`;
  const held = byReference.get(reference);
  if (held !== undefined) {
    throw new MillforgeError(
      'registry/duplicate-tool',
      `The tool ${reference} of origin ${tool.origin} is registered already, by origin ${held.origin}; raise its version or leave it out.`,
      {
        details: { tool_id: id, tool_version: version, origin: tool.origin, held_by: held.origin },
      },
    );
  }
  const owner = byCode.get(code);
  if (owner !== undefined) {
    const other = `${owner.descriptor.tool_id}@${owner.descriptor.tool_version}`;
    throw new MillforgeError(
      'registry/duplicate-implementation',
      `The tool ${reference} of origin ${tool.origin} names the implementation id of ${other} of origin ${owner.origin}; give it its own.`,
      {
        details: {
          tool_id: id,
          implementation_id: code,
          origin: tool.origin,
          held_by: owner.origin,
          held_tool_id: owner.descriptor.tool_id,
        },
      },
    );
  }
  byReference.set(reference, tool);
  byCode.set(code, tool);
}
