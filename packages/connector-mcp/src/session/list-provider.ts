import type { Discovered, DiscoveredProviderTool } from '@millforge/connectors';
import type { JsonObject, JsonValue } from '@millforge/contracts';
import { isRecord } from './any-result.ts';
import { linkFault } from './link-fault.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { McpSession } from './mcp-session.ts';
import { toPlainJson } from './to-plain-json.ts';
import { isWellFormed } from './well-formed.ts';

/** Lists everything that a server has, all pages of it, within the limits. */
export async function listProvider(
  session: McpSession,
  { limits, signal }: { readonly limits: Required<McpLimits>; readonly signal: AbortSignal },
): Promise<Discovered> {
  const { server, link } = session;
  const all = AbortSignal.any([signal, AbortSignal.timeout(limits.listTimeoutMs)]);
  const list = (what: Listed): Promise<readonly unknown[]> =>
    server.has(what) ? listPages(session, what, { limits, signal: all }) : Promise.resolve([]);
  const rawTools = await list('tools');
  const tools = rawTools.flatMap((raw) => readTool(raw));
  const unreadable = rawTools.length - tools.length;
  const prompts = namesOf(await list('prompts'), 'name');
  const resources = namesOf(await list('resources'), 'uri');
  const metadata: JsonObject = {
    ...(server.instructions === null ? {} : { instructions: server.instructions.slice(0, 16_384) }),
    ...(unreadable === 0 ? {} : { unreadable_tools: unreadable }),
  };
  return {
    identity: {
      protocol: 'mcp',
      protocol_version: session.protocolVersion,
      ...link.identity,
      server_reported_name: bounded(server.name),
      server_reported_version: bounded(server.version),
    },
    tools,
    prompts,
    resources,
    metadata,
  };
}

type Listed = 'tools' | 'prompts' | 'resources';

async function listPages(
  session: McpSession,
  what: Listed,
  { limits, signal }: { readonly limits: Required<McpLimits>; readonly signal: AbortSignal },
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let bytes = 0;
  let cursor: string | null = null;
  for (let left = limits.maxPages; left > 0; left--) {
    const params: { readonly cursor?: string } = cursor === null ? {} : { cursor };
    const result = await session.request(`${what}/list`, params, {
      signal,
      timeout: limits.listTimeoutMs,
    });
    const listed = result[what];
    if (!Array.isArray(listed)) throw linkFault('protocol', `Its list of ${what} is no list.`);
    // What nests deeper than can be written down is left out here, before anything walks through it.
    const page = listed.slice(0, limits.maxItems + 1).map((item) => toPlainJson(item) ?? null);
    bytes += JSON.stringify(page).length;
    items.push(...page);
    if (bytes > limits.maxListBytes) {
      throw linkFault('refused', `Its ${what} take more than ${limits.maxListBytes} bytes.`);
    }
    if (items.length > limits.maxItems) {
      throw linkFault('refused', `It has more than ${limits.maxItems} ${what}.`);
    }
    const next = result['nextCursor'];
    if (next === undefined || next === null) return items;
    if (typeof next !== 'string' || cursors.has(next)) {
      throw linkFault('protocol', `Its list of ${what} goes round in a circle.`);
    }
    cursors.add(next);
    cursor = next;
  }
  throw linkFault('refused', `Its list of ${what} has more than ${limits.maxPages} pages.`);
}

/** A tool that can be written down, or nothing: what cannot be pinned cannot be admitted either. */
function readTool(raw: unknown): readonly DiscoveredProviderTool[] {
  if (!isRecord(raw)) return [];
  const { name, description = '', inputSchema, outputSchema = null, annotations = {} } = raw;
  const input = objectOf(toPlainJson(inputSchema));
  const output = outputSchema === null ? null : objectOf(toPlainJson(outputSchema));
  const hints = objectOf(toPlainJson(annotations));
  if (typeof name !== 'string' || name.trim() === '' || Buffer.byteLength(name) > 160) return [];
  if (typeof description !== 'string' || Buffer.byteLength(description) > 16_384) return [];
  if (input === undefined || output === undefined || hints === undefined) return [];
  if (!isWellFormed(name) || !isWellFormed(description)) return [];
  return [
    {
      provider_tool_name: name,
      provider_description: description,
      input_schema: input,
      output_schema: output,
      provider_annotations: hints,
    },
  ];
}

function namesOf(items: readonly unknown[], key: 'name' | 'uri'): readonly string[] {
  const names = items.flatMap((item) => {
    const name = isRecord(item) ? item[key] : null;
    const isName = typeof name === 'string' && name.trim() !== '' && name.length <= 2048;
    return isName && isWellFormed(name) ? [name] : [];
  });
  return [...new Set(names)].toSorted();
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

function bounded(text: string | null): string | null {
  const kept = text?.trim().slice(0, 128) ?? '';
  return kept === '' || !isWellFormed(kept) ? null : kept;
}
