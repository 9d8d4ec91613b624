import { canonicalJson } from '@millforge/contracts';
import { findInstructions } from '../admission/find-instructions.ts';
import type { ConnectorDiscoverySnapshot } from '../discovery/discovery-snapshot.ts';
import { type DiscoveredProviderTool, providerToolDigests } from '../discovery/provider-tool.ts';

/** One thing that a server says differently than before. */
export interface DiscoveryChange {
  /** `connector` for the server itself, else the tool, prompt or resource. */
  readonly subject: string;
  /** What happened to it. */
  readonly kind: 'added' | 'removed' | 'changed';
  /** One sentence. */
  readonly message: string;
}

/** What changed between two discoveries, in words; empty where nothing did. */
export function diffDiscoveries(
  before: ConnectorDiscoverySnapshot,
  after: ConnectorDiscoverySnapshot,
): readonly DiscoveryChange[] {
  return [
    ...diffIdentity(before, after),
    ...diffTools(before.provider_tools, after.provider_tools),
    ...diffNames('prompt', before.provider_prompts, after.provider_prompts),
    ...diffNames('resource', before.provider_resources, after.provider_resources),
  ];
}

function diffIdentity(
  { connector_identity: old }: ConnectorDiscoverySnapshot,
  { connector_identity: now }: ConnectorDiscoverySnapshot,
): readonly DiscoveryChange[] {
  return IDENTITY_WORDS.flatMap(({ field, word }) => {
    const [was, is] = [old[field] ?? 'none', now[field] ?? 'none'];
    if (was === is) return [];
    const message = `The ${word} was ${was} and is ${is}.`;
    return [{ subject: 'connector', kind: 'changed', message }];
  });
}

function diffTools(
  before: readonly DiscoveredProviderTool[],
  after: readonly DiscoveredProviderTool[],
): readonly DiscoveryChange[] {
  const old = new Map(before.map((tool) => [tool.provider_tool_name, tool]));
  const now = new Map(after.map((tool) => [tool.provider_tool_name, tool]));
  const names = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  return names.flatMap((name): readonly DiscoveryChange[] => {
    const [was, is] = [old.get(name), now.get(name)];
    if (was === undefined) {
      return [{ subject: name, kind: 'added', message: 'The server has it now.' }];
    }
    if (is === undefined) {
      return [{ subject: name, kind: 'removed', message: 'The server has it no more.' }];
    }
    return diffTool(was, is).map((message) => ({ subject: name, kind: 'changed', message }));
  });
}

function diffTool(was: DiscoveredProviderTool, is: DiscoveredProviderTool): readonly string[] {
  const [old, now] = [providerToolDigests(was), providerToolDigests(is)];
  if (old.raw_tool_sha256 === now.raw_tool_sha256) return [];
  const hints = [
    ...new Set([...Object.keys(was.provider_annotations), ...Object.keys(is.provider_annotations)]),
  ]
    .toSorted()
    .filter((key) => textOf(was.provider_annotations[key]) !== textOf(is.provider_annotations[key]))
    .map((key) => {
      const [before, after] = [was, is].map((tool) =>
        textOf(tool.provider_annotations[key]).slice(0, 200),
      );
      return `Its hint ${key} was ${before} and is ${after}.`;
    });
  const speaks =
    findInstructions(was.provider_description).length === 0 &&
    findInstructions(is.provider_description).length > 0;
  return [
    ...(old.provider_description_sha256 === now.provider_description_sha256
      ? []
      : [`Its description changed${speaks ? ', and speaks to the model now' : ''}.`]),
    ...(old.input_schema_sha256 === now.input_schema_sha256
      ? []
      : diffSchema('argument', was.input_schema, is.input_schema)),
    ...(old.output_schema_sha256 === now.output_schema_sha256
      ? []
      : diffSchema('result field', was.output_schema, is.output_schema)),
    ...hints,
  ];
}

function diffSchema(noun: string, was: unknown, is: unknown): readonly string[] {
  const [old, now] = [propertiesOf(was), propertiesOf(is)];
  const names = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  const sentences = names.flatMap((name) => {
    if (!old.has(name)) return [`It has a new ${noun}, ${name}.`];
    if (!now.has(name)) return [`Its ${noun} ${name} is gone.`];
    return old.get(name) === now.get(name) ? [] : [`Its ${noun} ${name} means something else.`];
  });
  const [wasRequired, isRequired] = [requiredOf(was), requiredOf(is)];
  const newlyRequired = isRequired.filter((name) => !wasRequired.includes(name));
  const free = wasRequired.filter((name) => !isRequired.includes(name));
  const words = [
    ...newlyRequired.map((name) => `Its ${noun} ${name} is required now.`),
    ...free.map((name) => `Its ${noun} ${name} is required no more.`),
  ];
  const all = [...sentences, ...words];
  const side = noun === 'argument' ? 'input' : 'output';
  return all.length > 0 ? all : [`Its ${side} schema changed beside the names of its fields.`];
}

function propertiesOf(schema: unknown): ReadonlyMap<string, string> {
  const properties = member(schema, 'properties');
  if (typeof properties !== 'object' || properties === null) return new Map();
  return new Map(Object.entries(properties).map(([name, value]) => [name, textOf(value)]));
}

function requiredOf(schema: unknown): readonly string[] {
  const required = member(schema, 'required');
  return Array.isArray(required) ? required.filter((one) => typeof one === 'string') : [];
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function textOf(value: unknown): string {
  if (value === undefined) return 'absent';
  // What was discovered is JSON: it was read from a document.
  return canonicalJson(JSON.parse(JSON.stringify(value)), { newline: false });
}

function diffNames(
  noun: string,
  before: readonly string[],
  after: readonly string[],
): readonly DiscoveryChange[] {
  return [
    ...after
      .filter((name) => !before.includes(name))
      .map((subject) => ({
        subject,
        kind: 'added' as const,
        message: `The server has this ${noun} now.`,
      })),
    ...before
      .filter((name) => !after.includes(name))
      .map((subject) => ({
        subject,
        kind: 'removed' as const,
        message: `The server has this ${noun} no more.`,
      })),
  ];
}

const IDENTITY_WORDS = [
  { field: 'protocol', word: 'protocol' },
  { field: 'protocol_version', word: 'version of the protocol' },
  { field: 'transport_kind', word: 'transport' },
  { field: 'implementation_name', word: 'program' },
  { field: 'implementation_version', word: 'version of the program' },
  { field: 'implementation_digest', word: 'digest of the program' },
  { field: 'server_reported_name', word: 'name that the server gives itself' },
  { field: 'server_reported_version', word: 'version that the server gives itself' },
] as const;
