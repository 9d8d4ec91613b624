/** Name of an attribute that a span can carry. */
export type TelemetryAttribute =
  | 'gen_ai.operation.name'
  | 'gen_ai.agent.name'
  | 'gen_ai.conversation.id'
  | 'gen_ai.tool.name'
  | 'gen_ai.usage.input_tokens'
  | 'gen_ai.usage.output_tokens'
  | 'error.type'
  | 'millforge.goal.id'
  | 'millforge.goal.state'
  | 'millforge.task.id'
  | 'millforge.task.state'
  | 'millforge.adapter.kind'
  | 'millforge.adapter.name'
  | 'millforge.adapter.version'
  | 'millforge.attempt.number'
  | 'millforge.attempt.fence'
  | 'millforge.attempt.state'
  | 'millforge.attempt.operations_performed'
  | 'millforge.attempt.operations_replayed'
  | 'millforge.operation.key'
  | 'millforge.operation.step'
  | 'millforge.operation.kind'
  | 'millforge.operation.effect'
  | 'millforge.operation.repeat'
  | 'millforge.operation.replayed'
  | 'millforge.operation.outcome'
  | 'millforge.usage.cost_micros'
  | 'millforge.usage.tool_calls'
  | 'millforge.tenant'
  | 'millforge.resource'
  | 'millforge.actor';

/** Every attribute that a span can carry, and whether it leaves the process unless something else is said. */
export const TELEMETRY_ATTRIBUTES: Readonly<Record<TelemetryAttribute, boolean>> = {
  'gen_ai.operation.name': true,
  'gen_ai.agent.name': true,
  'gen_ai.conversation.id': true,
  'gen_ai.tool.name': true,
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
};

/** Whether a text is the name of an attribute. */
export function isTelemetryAttribute(name: string): name is TelemetryAttribute {
  return Object.hasOwn(TELEMETRY_ATTRIBUTES, name);
}
