import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createMillforge, type RunEvent, type RunTaskOptions, runTask } from 'millforge';
import { expect, onTestFinished, test } from 'vitest';
import { GREETER, GREETER_GRANTS, greetTool, testFolder } from './support/greeter.ts';

type Write = (say: (text: string) => void) => Promise<void> | void;

/** A server that streams its first reply as it is told to, with a greeting behind it, and then ends. */
async function startWriter(write: Write): Promise<string> {
  const server = createServer((request, response) => {
    answer(request, response, write).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`;
}

async function answer(request: IncomingMessage, response: ServerResponse, write: Write) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const isFirst = !body.includes('"assistant"');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (isFirst) await write((content) => event(response, { content }));
  const [name, args] = isFirst
    ? ['greet', { name: 'Ada' }]
    : ['submit', { terminal_result: 'COMPLETE', summary: 'Ada is greeted.' }];
  const called = { name, arguments: JSON.stringify(args) };
  event(response, { tool_calls: [{ index: 0, id: `call_${name}`, function: called }] });
  event(response, {}, 'tool_calls');
  response.end('data: [DONE]\n\n');
}

function event(response: ServerResponse, delta: object, finish: string | null = null): void {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  response.write(`data: ${JSON.stringify({ id: 'a', model: 'm', choices })}\n\n`);
}

function layOut(url: string) {
  const folder = testFolder();
  const dataDir = `${folder}/data`;
  const options: RunTaskOptions = {
    harness: GREETER,
    task: 'Greet Ada.',
    cwd: folder,
    dataDir,
    model: {
      kind: 'endpoint',
      profile: { profile_id: 'test.model', base_url: url, model: 'm', stream: true },
    },
    grants: GREETER_GRANTS,
    tools: [greetTool().tool],
    env: {},
  };
  return { dataDir, options };
}

function gate() {
  const opening = new EventEmitter();
  return { open: () => opening.emit('open'), opened: once(opening, 'open') };
}

test('a host shows what a model writes while it writes, and the trail keeps the reply alone', async () => {
  const seen = gate();
  const url = await startWriter(async (say) => {
    say('I greet Ada, ');
    // The rest is not written before the beginning was read: a reader of whole replies would wait for good.
    await seen.opened;
    say('gladly.');
  });
  const { dataDir, options } = layOut(url);
  const task = runTask({ ...options, deltas: true });
  const kinds: string[] = [];
  let written = '';
  for await (const heard of task) {
    kinds.push(heard.kind);
    if (heard.kind === 'model-wrote') written += heard.text;
    if (written === 'I greet Ada, ') seen.open();
  }
  expect(kinds.slice(0, 3)).toEqual(['turn-started', 'model-wrote', 'model-replied']);
  const { status, run_id } = await task;
  expect(status).toBe('success');

  await using millforge = createMillforge({ dataDir, tools: options.tools ?? [] });
  let trail = '';
  for await (const line of millforge.exportTrail(run_id)) trail += line;
  expect(trail).toContain('I greet Ada, gladly.');
  expect(trail).not.toContain('wrote');
});

test('a reader that is behind gets one piece for many, and none once the reply is whole', async () => {
  const all = Array.from({ length: 500 }, (_, place) => `word${place} `);
  const rest = gate();
  const caughtUp = gate();
  const url = await startWriter(async (say) => {
    for (const word of all) say(word);
    await rest.opened;
    for (const word of all) say(word);
  });
  let told = 0;
  const ended = gate();
  const task = runTask({
    ...layOut(url).options,
    deltas: true,
    onEvent(heard) {
      if (heard.kind === 'model-wrote') told += 1;
      if (heard.kind === 'model-wrote' && heard.text.includes(all.at(-1) ?? '')) caughtUp.open();
      if (heard.kind === 'run-ended') ended.open();
    },
  });
  const reader = task[Symbol.asyncIterator]();
  const next = async (): Promise<RunEvent | undefined> => (await reader.next()).value;
  expect(await next()).toMatchObject({ kind: 'turn-started' });
  await caughtUp.opened;
  expect(await next()).toMatchObject({ kind: 'model-wrote', text: all.join('') });
  rest.open();
  await ended.opened;
  expect(told).toBeGreaterThan(500);
  expect(await next()).toMatchObject({
    kind: 'model-replied',
    content: all.join('').repeat(2),
  });
  await task;
});

test('pieces of replies are no events of a run that was not asked for them', async () => {
  const url = await startWriter((say) => say('Some words here.'));
  const kinds: string[] = [];
  for await (const { kind } of runTask({ ...layOut(url).options, dataDir: null })) kinds.push(kind);
  expect(kinds).toContain('model-replied');
  expect(kinds).not.toContain('model-wrote');
});
