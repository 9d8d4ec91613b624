import { resolve } from 'node:path';
import {
  type CapabilityGrant,
  type Clock,
  formatToolReference,
  type Redactor,
} from '@millforge/contracts';
import type { RegistrySnapshot } from '@millforge/registry';
import type { ToolTrial } from '@millforge/registry/testing';
import { millforgeError } from './millforge-error.ts';

/** One call of one tool, without a harness and without a model. */
export interface TryToolRequest {
  /** Dotted id. */
  readonly toolId: string;
  /** Exact version. */
  readonly toolVersion: number;
  /** Arguments; anything is taken, and refused as a run would refuse it. */
  readonly input: unknown;
  /** Folder that the tool works in; default none. */
  readonly workspace?: string;
  /** Capabilities granted; default all that the tool needs. */
  readonly grants?: readonly (string | CapabilityGrant)[];
  /** How far the call goes: only what is pure, or all the way. Default all the way. */
  readonly upTo?: 'check' | 'run';
  /** Stops the call. */
  readonly signal?: AbortSignal;
}

/** Takes one call through the executor that every run has. */
export async function tryTool(
  request: TryToolRequest,
  parts: {
    readonly snapshot: RegistrySnapshot;
    readonly clock: Clock;
    readonly redactor: Redactor;
  },
): Promise<ToolTrial | null> {
  const { toolId, toolVersion, input, workspace, grants, signal } = request;
  const tool = parts.snapshot.findTool(toolId, toolVersion);
  if (tool === null) {
    throw millforgeError(
      'millforge/usage',
      `There is no tool ${formatToolReference({ toolId, toolVersion }).slice(0, 200)} here.`,
    );
  }
  // Loaded on use: no run needs it.
  const { createToolTester } = await import('@millforge/registry/testing');
  const tester = createToolTester(tool, {
    clock: parts.clock,
    redactor: parts.redactor,
    ...(workspace === undefined ? {} : { workspace: resolve(workspace) }),
    ...(grants === undefined ? {} : { grants }),
  });
  if (request.upTo !== 'check') return tester.call(input, signal === undefined ? {} : { signal });
  const checked = tester.check(input);
  return checked.kind === 'checked'
    ? null
    : { stage: 'check', outcome: checked.outcome, trace: checked.trace, before: null };
}
