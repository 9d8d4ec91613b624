import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  MillforgeError,
} from '@millforge/contracts';
import type {
  ConnectorInvocationRequest,
  ConnectorTransport,
} from '../broker/connector-transport.ts';
import { createDiscoverySnapshot } from '../discovery/discovery-snapshot.ts';

/** A server under test, and the way to it. It must have the tools that the suite names. */
export interface ConnectorTransportSubject {
  /** The way to a server that nobody has asked anything yet. */
  readonly transport: ConnectorTransport;
  /** Ends the server under the transport, as a crash would; absent where that cannot be done. */
  loseServer?(): void | Promise<void>;
  /** Frees what the subject holds; the transport may be closed already. */
  close(): void | Promise<void>;
}

/** What the suite is run with. */
export interface ConnectorTransportSuite {
  /** Registers one test, as `test` of vitest and of `node:test` do. */
  readonly test: (title: string, run: () => Promise<void>) => unknown;
  /** Makes a subject. */
  readonly open: () => ConnectorTransportSubject | Promise<ConnectorTransportSubject>;
  /** Names of tools that the server has. */
  readonly tools: {
    /** Answers with the text of its argument `text`. */
    readonly echo: string;
    /** Answers that it failed, without arguments. */
    readonly fails: string;
    /** Never answers, without arguments. */
    readonly hangs: string;
  };
}

/** Holds a transport to the promises of its port; assertions throw `testing/assertion`. */
export function connectorTransportConformance(suite: ConnectorTransportSuite): void {
  const { tools } = suite;
  const check = (title: string, run: (subject: ConnectorTransportSubject) => Promise<void>) =>
    suite.test(`a connector transport ${title}`, async () => {
      const subject = await suite.open();
      try {
        await run(subject);
      } finally {
        await subject.transport[Symbol.asyncDispose]();
        await subject.close();
      }
    });

  check('discovers what can be written down as a discovery', async ({ transport }) => {
    const discovered = await discover(transport);
    const snapshot = createDiscoverySnapshot({
      connector_identity: {
        connector_id: 'connector.subject',
        discovered_at: '2026-01-01T00:00:00Z',
        ...discovered.identity,
      },
      created_at: '2026-01-01T00:00:00Z',
      provider_tools: discovered.tools,
      provider_prompts: discovered.prompts,
      provider_resources: discovered.resources,
      provider_metadata: discovered.metadata,
    });
    equal(snapshot.ok ? [] : snapshot.diagnostics.map(({ code }) => code), []);
    const names = discovered.tools.map((tool) => tool.provider_tool_name);
    for (const name of Object.values(tools)) equal(names.includes(name), true);
  });

  check('discovers the same twice', async ({ transport }) => {
    const first = await discover(transport);
    equal(
      { ...(await discover(transport)) } as object as JsonValue,
      { ...first } as object as JsonValue,
    );
  });

  check('gives the answer of a tool', async ({ transport }) => {
    await discover(transport);
    const answer = await transport.call(request(tools.echo, { text: 'seen' }), live());
    equal(answer.kind, 'answered');
    if (answer.kind !== 'answered') return;
    equal(answer.isError, false);
    equal(answer.text, 'seen');
  });

  check('calls without a discovery before', async ({ transport }) => {
    const answer = await transport.call(request(tools.echo, { text: 'first' }), live());
    equal(answer.kind, 'answered');
  });

  check('tells the failure of a tool from an answer', async ({ transport }) => {
    const answer = await transport.call(request(tools.fails, {}), live());
    equal(answer.kind === 'answered' && answer.isError, true);
  });

  check('keeps the answers of calls that run together apart', async ({ transport }) => {
    const texts = Array.from({ length: 20 }, (_, index) => `number ${index}`);
    const answers = await Promise.all(
      texts.map((text) => transport.call(request(tools.echo, { text }), live())),
    );
    equal(
      answers.map((answer) => (answer.kind === 'answered' ? answer.text : answer.kind)),
      texts,
    );
  });

  check('sends nothing for a call that was stopped before', async ({ transport }) => {
    const answer = await transport.call(request(tools.echo, { text: 'late' }), {
      signal: AbortSignal.abort(),
    });
    equal(answer.kind === 'failed' && answer.reason, 'stopped');
    equal(answer.kind === 'failed' && answer.sent, false);
  });

  check(
    'ends a call that is stopped on the way, and says that it was sent',
    async ({ transport }) => {
      await discover(transport);
      const stop = new AbortController();
      const calling = transport.call(request(tools.hangs, {}), { signal: stop.signal });
      // The answer to a second call shows that the first was sent.
      await transport.call(request(tools.echo, { text: 'between' }), live());
      stop.abort();
      const answer = await calling;
      equal(answer.kind === 'failed' && answer.reason, 'stopped');
      equal(answer.kind === 'failed' && answer.sent, true);
      const next = await transport.call(request(tools.echo, { text: 'after' }), live());
      equal(next.kind === 'answered' && next.text, 'after');
    },
  );

  check('answers without throwing for a tool that is not there', async ({ transport }) => {
    const answer = await transport.call(request('no_such_tool_anywhere', {}), live());
    const isRefused = answer.kind === 'rejected' || (answer.kind === 'answered' && answer.isError);
    equal(isRefused, true);
  });

  check('says that a call may have happened when its server is lost', async (subject) => {
    const { transport } = subject;
    if (subject.loseServer === undefined) return;
    await discover(transport);
    let changes = 0;
    transport.onChange(() => {
      changes += 1;
    });
    const calling = transport.call(request(tools.hangs, {}), live());
    await transport.call(request(tools.echo, { text: 'between' }), live());
    await subject.loseServer();
    const answer = await calling;
    equal(answer.kind === 'failed' && answer.reason, 'lost');
    equal(answer.kind === 'failed' && answer.sent, true);
    equal(changes > 0, true);
  });

  check('is closed twice without harm, and calls nothing afterwards', async ({ transport }) => {
    await discover(transport);
    await transport[Symbol.asyncDispose]();
    await transport[Symbol.asyncDispose]();
    const answer = await transport.call(request(tools.echo, { text: 'closed' }), live());
    equal(answer.kind === 'failed' && answer.sent, false);
    const again = await transport.discover(live());
    equal(again.kind, 'failed');
  });
}

async function discover(transport: ConnectorTransport) {
  const answer = await transport.discover(live());
  if (answer.kind === 'failed') throw assertion(`Expected a discovery, but: ${answer.message}`);
  return answer;
}

function live(): { readonly signal: AbortSignal } {
  return { signal: new AbortController().signal };
}

function request(tool: string, input: JsonObject): ConnectorInvocationRequest {
  return {
    connector_id: 'connector.subject',
    provider_tool_name: tool,
    tool_id: 'connector.subject.tool',
    tool_version: 1,
    descriptor_sha256: ZEROS,
    connector_identity_sha256: ZEROS,
    discovery_snapshot_sha256: ZEROS,
    raw_tool_sha256: ZEROS,
    arguments: input,
    run_id: 'run',
    call_id: 'call',
    timeout_seconds: 10,
    idempotency_key: null,
  };
}

function equal(actual: JsonValue, expected: JsonValue): void {
  const [found, wanted] = [canonicalJson(actual), canonicalJson(expected)];
  if (found !== wanted) throw assertion(`Expected ${wanted.trim()}, found ${found.trim()}.`);
}

function assertion(message: string): MillforgeError {
  return new MillforgeError('testing/assertion', message);
}

const ZEROS = '0'.repeat(64);
