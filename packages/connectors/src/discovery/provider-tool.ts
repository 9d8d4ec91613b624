import { digest, type JsonObject, type JsonValue } from '@millforge/contracts';
import type { FieldReader } from '../documents/field-reader.ts';

/** A tool as its server describes it: evidence, not a tool that anybody may call. */
export interface DiscoveredProviderTool {
  /** Name by which the server calls it; at most 160 bytes. */
  readonly provider_tool_name: string;
  /** What the server says about it; at most 16,384 bytes, never shown to a model unread. */
  readonly provider_description: string;
  /** Schema of the arguments as the server gave it. */
  readonly input_schema: JsonObject;
  /** Schema of the structured result as the server gave it; null where it gave none. */
  readonly output_schema: JsonObject | null;
  /** Hints of the server about the tool; shown to people, never trusted. */
  readonly provider_annotations: JsonObject;
}

/** What pins a tool of a server: every word that the server said about it. */
export interface ProviderToolDigests {
  /** Digest of name, description, both schemas and annotations. */
  readonly raw_tool_sha256: string;
  /** Digest of the raw input schema. */
  readonly input_schema_sha256: string;
  /** Digest of the raw output schema; null where there is none. */
  readonly output_schema_sha256: string | null;
  /** Digest of the description. */
  readonly provider_description_sha256: string;
}

/** Computes what pins a tool. */
export function providerToolDigests(tool: DiscoveredProviderTool): ProviderToolDigests {
  const { output_schema: output } = tool;
  return {
    raw_tool_sha256: digest({
      kind: 'millforge.connector.discovery_tool.v1',
      provider_tool_name: tool.provider_tool_name,
      provider_description: tool.provider_description,
      input_schema: tool.input_schema,
      output_schema: output,
      provider_annotations: tool.provider_annotations,
    } satisfies JsonValue),
    input_schema_sha256: digest(tool.input_schema),
    output_schema_sha256: output === null ? null : digest(output),
    provider_description_sha256: digest(tool.provider_description),
  };
}

/** Reads one tool of a discovery; faults go to the reader. */
export function readProviderTool(
  reader: FieldReader,
  value: unknown,
  path: string,
): DiscoveredProviderTool {
  const of = reader.fields(value, path, FIELDS);
  return {
    provider_tool_name: reader.text({ of, key: 'provider_tool_name' }, { bytes: 160 }),
    provider_description: reader.isAbsent({ of, key: 'provider_description' })
      ? ''
      : reader.text({ of, key: 'provider_description' }, DESCRIPTION),
    input_schema: reader.metadata({ of, key: 'input_schema' }, 'schema'),
    output_schema: reader.isAbsent({ of, key: 'output_schema' })
      ? null
      : reader.metadata({ of, key: 'output_schema' }, 'schema'),
    provider_annotations: reader.isAbsent({ of, key: 'provider_annotations' })
      ? {}
      : reader.metadata({ of, key: 'provider_annotations' }, 'judged'),
  };
}

const FIELDS = [
  'provider_tool_name',
  'provider_description',
  'input_schema',
  'output_schema',
  'provider_annotations',
];
const DESCRIPTION = { bytes: 16_384, mayBeEmpty: true };
