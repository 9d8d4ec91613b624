import type { JsonObject } from '@millforge/contracts';
import type {
  ConnectorInvocationRequest,
  ConnectorTransport,
  ContextAnswer,
  Discovered,
  ProviderAnswer,
} from '../broker/connector-transport.ts';
import type { DiscoveredProviderTool } from '../discovery/provider-tool.ts';

/** What a fake server is made of. */
export interface FakeTransportOptions {
  /** Who it says that it is; default a server over stdio called `fake` in version 1.0.0. */
  readonly identity?: Partial<Discovered['identity']>;
  /** Its tools. */
  readonly tools: readonly FakeTool[];
  /** Its prompts and what they say. */
  readonly prompts?: { readonly [name: string]: string };
  /** Its resources and what they say. */
  readonly resources?: { readonly [uri: string]: string };
}

/** One tool of a fake server. */
export interface FakeTool extends Partial<DiscoveredProviderTool> {
  /** Name by which the server calls it. */
  readonly provider_tool_name: string;
  /** What it answers; default an empty text. */
  readonly answer?: (
    request: ConnectorInvocationRequest,
    options: { readonly signal: AbortSignal },
  ) => ProviderAnswer | Promise<ProviderAnswer>;
}

/** A server in memory, and the hands that change it. */
export interface FakeTransport extends ConnectorTransport {
  /** Calls that arrived, in their order. */
  readonly requests: readonly ConnectorInvocationRequest[];
  /** How often it was asked what it has. */
  readonly discoveries: number;
  /** Whether it was disposed of. */
  readonly isClosed: boolean;
  /** Gives it other tools, and tells of it unless that is to be kept quiet. */
  replaceTools(tools: readonly FakeTool[], options?: { readonly quietly?: boolean }): void;
}

/** Makes a server in memory that passes the same conformance suite as real ones. */
export function fakeTransport(options: FakeTransportOptions): FakeTransport {
  const listeners: (() => void)[] = [];
  const requests: ConnectorInvocationRequest[] = [];
  const { prompts = {}, resources = {} } = options;
  let tools = options.tools;
  let discoveries = 0;
  let isClosed = false;
  const refusal = (signal: AbortSignal) => {
    if (isClosed) return failure('lost', false);
    return signal.aborted ? failure('stopped', false) : null;
  };
  const read = async (
    texts: { readonly [key: string]: string },
    key: string,
    signal: AbortSignal,
  ): Promise<ContextAnswer> => {
    const text = Object.hasOwn(texts, key) ? texts[key] : undefined;
    const refused = refusal(signal);
    if (refused !== null) return refused;
    return text === undefined
      ? { kind: 'failed', reason: 'protocol', sent: true, message: 'There is no such thing.' }
      : { kind: 'read', text };
  };
  return {
    requests,
    get discoveries() {
      return discoveries;
    },
    get isClosed() {
      return isClosed;
    },
    replaceTools(next, { quietly = false } = {}) {
      tools = next;
      if (!quietly) for (const listener of listeners) listener();
    },
    async discover({ signal }) {
      const refused = refusal(signal);
      if (refused !== null) return refused;
      discoveries += 1;
      return {
        kind: 'discovered',
        identity: { ...IDENTITY, ...options.identity },
        tools: tools.map(toProviderTool),
        prompts: Object.keys(prompts),
        resources: Object.keys(resources),
        metadata: {},
      };
    },
    async call(request, { signal }) {
      const refused = refusal(signal);
      if (refused !== null) return refused;
      const tool = tools.find((one) => one.provider_tool_name === request.provider_tool_name);
      if (tool === undefined) {
        return { kind: 'rejected', reason: 'unknown-tool', message: 'There is no such tool.' };
      }
      requests.push(request);
      const answer = tool.answer?.(request, { signal }) ?? EMPTY_ANSWER;
      return stoppable(Promise.resolve(answer), signal, () => failure('stopped', true));
    },
    readPrompt: (name, _input: JsonObject, { signal }) => read(prompts, name, signal),
    readResource: (uri, { signal }) => read(resources, uri, signal),
    onChange: (listener) => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      isClosed = true;
    },
  };
}

function failure(reason: 'stopped' | 'lost', sent: boolean) {
  return { kind: 'failed', reason, sent, message: WORDS[reason] } as const;
}

/** What comes first: the answer, or the stop. */
function stoppable<T>(work: Promise<T>, signal: AbortSignal, stopped: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(stopped());
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function toProviderTool(tool: FakeTool): DiscoveredProviderTool {
  return {
    provider_tool_name: tool.provider_tool_name,
    provider_description: tool.provider_description ?? '',
    input_schema: tool.input_schema ?? NO_ARGUMENTS,
    output_schema: tool.output_schema ?? null,
    provider_annotations: tool.provider_annotations ?? {},
  };
}

const WORDS = { stopped: 'The call was stopped.', lost: 'The connection is closed.' };
const EMPTY_ANSWER: ProviderAnswer = {
  kind: 'answered',
  isError: false,
  text: '',
  structured: null,
};
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };
const IDENTITY: Discovered['identity'] = {
  protocol: 'mcp',
  transport_kind: 'stdio',
  protocol_version: '2026-07-28',
  implementation_name: 'fake',
  implementation_version: '1.0.0',
  implementation_digest: null,
  server_reported_name: null,
  server_reported_version: null,
  configured_secret_refs: [],
};
