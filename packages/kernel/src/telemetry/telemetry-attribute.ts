/** Every attribute that a span can carry, and whether it leaves the process unless something else is said. */
export const TELEMETRY_ATTRIBUTES = {
  'gen_ai.operation.name': true,
  'gen_ai.agent.name': true,
  'gen_ai.conversation.id': true,
  'gen_ai.usage.input_tokens': true,
  'gen_ai.usage.output_tokens': true,
  'error.type': true,
  'millforge.goal.id': true,
  'millforge.goal.state': true,
  'millforge.task.id': true,
  'millforge.task.state': true,
  'millforge.adapter.kind': true,
  'millforge.adapter.name': true,
  'millforge.adapter.version': true,
  'millforge.attempt.number': true,
  'millforge.attempt.fence': true,
  'millforge.attempt.state': true,
  'millforge.attempt.operations_performed': true,
  'millforge.attempt.operations_replayed': true,
  'millforge.operation.key': true,
  'millforge.operation.step': true,
  'millforge.operation.kind': true,
  'millforge.operation.effect': true,
  'millforge.operation.repeat': true,
  'millforge.operation.replayed': true,
  'millforge.operation.outcome': true,
  'millforge.usage.cost_micros': true,
  'millforge.usage.tool_calls': true,
  // Who works for whom is nobody's business by default.
  'millforge.tenant': false,
  'millforge.resource': false,
  'millforge.actor': false,
} as const satisfies { readonly [name: string]: boolean };

/** Name of an attribute that a span can carry. */
export type TelemetryAttribute = keyof typeof TELEMETRY_ATTRIBUTES;

/** Whether a text is the name of an attribute. */
export function isTelemetryAttribute(name: string): name is TelemetryAttribute {
  return Object.hasOwn(TELEMETRY_ATTRIBUTES, name);
}
