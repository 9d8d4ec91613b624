import {
  digest,
  type JsonObject,
  type LiveToolContext,
  type PreparedTool,
  type Tool,
  type ToolDescriptor,
  type ToolRefusal,
  type ToolResult,
} from '@millforge/contracts';
import { connectorWord } from '../draft/connector-word.ts';
import type { BrokeredConnector } from './brokered-connector.ts';
import type { ConnectorBroker } from './connector-broker.ts';
import type { ContextAnswer } from './connector-transport.ts';

/** What tools for prompts and resources are made of. */
export interface ContextToolsOptions {
  /** Connectors with the prompts and resources that were admitted of each. */
  readonly connectors: readonly Pick<BrokeredConnector, 'discovery' | 'prompts' | 'resources'>[];
  /** Who speaks with the servers. */
  readonly broker: ConnectorBroker;
}

/**
 * Makes tools that read what was admitted beside tools: one for the resources and one for the prompts of each
 * connector that has any. They take admitted names only, ask for somebody to agree, and read from the admitted
 * server alone: another identity, and a name that is gone, are refused before anything is read.
 */
export function createContextTools(options: ContextToolsOptions): readonly Tool[] {
  return options.connectors.flatMap(({ discovery, prompts = [], resources = [] }) => {
    const { connector_id: connectorId } = discovery.connector_identity;
    const parts = { connectorId, broker: options.broker };
    return [
      ...(resources.length === 0 ? [] : [contextTool('resource', resources, parts)]),
      ...(prompts.length === 0 ? [] : [contextTool('prompt', prompts, parts)]),
    ];
  });
}

interface Parts {
  readonly connectorId: string;
  readonly broker: ConnectorBroker;
}

function contextTool(kind: 'prompt' | 'resource', names: readonly string[], parts: Parts): Tool {
  return Object.freeze({
    descriptor: describe(kind, names, parts.connectorId),
    origin: 'connector',
    // What a server says is fetched from outside, whatever it is.
    approval: 'explicit',
    implementation: {
      prepare: (input: JsonObject, context: LiveToolContext) =>
        prepare({ kind, input, ...parts }, context),
    },
  } satisfies Tool);
}

function describe(
  kind: 'prompt' | 'resource',
  names: readonly string[],
  connectorId: string,
): ToolDescriptor {
  const owner = connectorWord(connectorId);
  const name = { type: 'string', enum: names.toSorted() } as const;
  const text = { type: 'string' } as const;
  const closed = { type: 'object', additionalProperties: false } as const;
  const pair = { ...closed, properties: { name: text, value: text }, required: ['name', 'value'] };
  const given = { type: 'array', items: pair, maxItems: 64 } as const;
  return {
    schema_version: 1,
    kind: 'millforge.tool_descriptor.v1',
    tool_id: `connector.${owner}.context.${kind}`,
    tool_version: 1,
    implementation_id: `impl.connector.${owner}.context.${kind}.v1`,
    model_tool_name: `${owner}_context_${kind}`.slice(0, 64),
    description: `Reads one of the ${kind}s of ${owner} that were admitted, by its exact name.`,
    input_schema: {
      ...closed,
      properties: kind === 'prompt' ? { arguments: given, name } : { name },
      required: ['name'],
    },
    output_schema: { ...closed, properties: { text }, required: ['text'] },
    required_capabilities: [`connector.${owner}.read_context`],
    produced_artifact_ids: [],
    side_effect_class: 'network_read',
    idempotency: 'idempotent',
    timeout_policy: { timeout_seconds: 60, cancellation_grace_seconds: 5 },
    output_policy: { max_output_bytes: 131_072, max_summary_utf8: 65_536, redact_secrets: true },
  };
}

interface Reading extends Parts {
  readonly kind: 'prompt' | 'resource';
  readonly input: JsonObject;
}

async function prepare(
  reading: Reading,
  { signal }: LiveToolContext,
): Promise<PreparedTool | ToolRefusal> {
  const { broker, connectorId, kind } = reading;
  const name = textIn(reading.input, 'name');
  const look = await broker.lookAtContext({ connectorId, kind, name }, { signal });
  switch (look.kind) {
    case 'present':
      return {
        kind: 'prepared',
        before: { connector_id: connectorId, context_kind: kind, drift_decision: 'passed' },
        run: (context) => read(reading, name, context.signal),
      };
    case 'unreachable':
      return refusal('io_error', `The server of ${connectorId} cannot be reached: ${look.message}`);
    case 'drifted':
      return refusal(
        'binding_mismatch',
        `The server of ${connectorId} is not the one that was admitted. A person has to look at the change and admit it anew.`,
      );
    case 'missing':
    default:
      return refusal('not_found', `The server of ${connectorId} has no ${kind} ${name} any more.`);
  }
}

async function read(reading: Reading, name: string, signal: AbortSignal): Promise<ToolResult> {
  const { broker, connectorId, kind, input } = reading;
  const answer: ContextAnswer =
    kind === 'resource'
      ? await broker.readResource(connectorId, name, { signal })
      : await broker.readPrompt(connectorId, { name, arguments: pairsOf(input) }, { signal });
  if (answer.kind === 'read') {
    const after = { connector_id: connectorId, response_sha256: digest({ text: answer.text }) };
    return { kind: 'done', text: answer.text, data: { text: answer.text }, after };
  }
  const isStopped = answer.reason === 'stopped';
  const isLate = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
  const stopCode = isLate ? 'timeout' : 'cancelled';
  return {
    kind: 'failed',
    code: isStopped ? stopCode : 'io_error',
    certainty: 'confirmed_absent',
    text: `The server gave no answer: ${answer.message}`,
  };
}

/** Arguments of a prompt by name; of two of one name the last. */
function pairsOf(input: JsonObject): JsonObject {
  const { arguments: given = [] } = input;
  const pairs = Array.isArray(given) ? given : [];
  return Object.fromEntries(
    pairs.map((pair: JsonObject) => [textIn(pair, 'name'), textIn(pair, 'value')]),
  );
}

/** A text that the schema of the arguments has found to be one. */
function textIn(fields: JsonObject, key: string): string {
  const { [key]: text } = fields;
  return typeof text === 'string' ? text : '';
}

function refusal(code: ToolRefusal['code'], message: string): ToolRefusal {
  return { kind: 'refused', code, message };
}
