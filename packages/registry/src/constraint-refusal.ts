import type {
  JsonObject,
  JsonValue,
  PlanCapabilityConstraint,
  ToolContext,
  ToolImplementation,
  ToolReach,
} from '@millforge/contracts';
import type { BoundNode } from './bind-plan.ts';
import { constraintFault } from './constraint-fault.ts';
import { isJsonObject, toPlainCopy } from './plain-json.ts';
import type { RefusalReason } from './refused-call.ts';
import type { CallFacts } from './trace-call.ts';

/** What speaks against a call of a tool whose capabilities go only so far, by plan or by grant. */
export function constraintRefusal(
  { implementation, node }: BoundNode,
  input: JsonObject,
  call: {
    readonly facts: CallFacts;
    readonly constraints: readonly PlanCapabilityConstraint[] | undefined;
  },
): RefusalReason | null {
  if (node.required_capabilities.length === 0) return null;
  const { grants, runId, workspace } = call.facts.context;
  const bounds = node.required_capabilities.flatMap((id) => [
    ...(call.constraints ?? [])
      .filter((one) => one.capability_id === id)
      .map(({ constraints }) => ({ id, constraints })),
    ...grants.flatMap((grant) =>
      typeof grant === 'object' && grant.capabilityId === id && grant.constraints !== undefined
        ? [{ id, constraints: grant.constraints }]
        : [],
    ),
  ]);
  const [first] = bounds;
  if (first === undefined) return null;
  const name = node.model_tool_name;
  const denied = (id: string, why: string): RefusalReason => ({
    code: 'capability_denied',
    message: `${name} may use the capability ${id} only within its constraints: ${why}.`,
  });
  const reach = reachOf(implementation, input, {
    runId,
    callId: call.facts.callId,
    workspace,
  });
  if (reach === null) return denied(first.id, 'the tool does not say what this call would reach');
  for (const { id, constraints } of bounds) {
    const kind = constraintFault(reach, constraints, workspace);
    if (kind !== null) return denied(id, `this call is not inside its ${kind}`);
  }
  return null;
}

/** Null for a tool that does not say it, or that fails to: a constraint that cannot be held refuses. */
function reachOf(
  implementation: ToolImplementation,
  input: JsonObject,
  context: ToolContext,
): ToolReach | null {
  try {
    const reach: unknown = implementation.reach?.(input, context) ?? null;
    // One that answers later has said nothing; its rejection is nobody else's to catch.
    if (reach instanceof Promise) void reach.catch(ignore);
    // A copy, so that what is held against the constraints is what was said, and is said once.
    const copied = toPlainCopy(reach, { dropUndefined: true });
    return copied.ok && isReach(copied.value) ? copied.value : null;
  } catch {
    return null;
  }
}

function ignore(): void {}

/** The type is a promise of the tool's author. */
function isReach(reach: JsonValue): reach is JsonObject & ToolReach {
  if (!isJsonObject(reach)) return false;
  return Object.entries(reach).every(([kind, value]) =>
    kind === 'bytes'
      ? typeof value === 'number'
      : Array.isArray(value) && value.every((item) => typeof item === 'string'),
  );
}
