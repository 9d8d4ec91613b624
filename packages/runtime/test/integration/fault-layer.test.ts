import { setTimeout } from 'node:timers/promises';
import { type Clock, MillforgeError } from '@millforge/contracts';
import { sequentialIds } from '@millforge/contracts/testing';
import { createModelClient, type ModelProfile } from '@millforge/models';
import {
  type ScriptedFault,
  type ScriptedServer,
  startScriptedServer,
} from '@millforge/models/testing';
import { memoryOperationLog, runPlan } from '@millforge/runtime';
import { expect, test } from 'vitest';
import { buildPlan } from '../support/builder-plan.ts';
import { runOptions } from '../support/scripted-run.ts';

const PLAN = buildPlan([{ id: 'read' }, { id: 'submit', terminal: 'COMPLETE' }]);

const REPLIES = [
  { content: 'I look.', tool_calls: [{ name: 'read', arguments: { path: 'süß/😀.ts' } }] },
  { tool_calls: [{ name: 'submit', arguments: { summary: 'Done.' } }] },
].map((reply) => ({ ...reply, usage: { input_tokens: 9, output_tokens: 3 } }));

/** Time that runs so many times faster, so that waits of the client are short. */
function quickClock(speed = 25): Clock {
  return {
    now: () => Date.now(),
    monotonicMs: () => performance.now() * speed,
    delay: (ms, signal) =>
      setTimeout(ms / speed, undefined, signal === undefined ? {} : { signal }),
  };
}

/** The script for a server that is always wrong, with the first reply for every further try. */
function again(fault: ScriptedFault) {
  const [first, ...rest] = REPLIES.map((reply) => ({ ...reply, fault }));
  if (first === undefined) return [];
  return fault.kind === 'malformed-arguments'
    ? Array.from({ length: 9 }, () => first)
    : [first, ...rest];
}

interface FaultyRun {
  readonly ended: string;
  readonly elapsedMs: number;
  readonly requests: number;
}

/** Runs against a server that answers the first request wrongly, or every one. */
async function runAgainst(
  fault: ScriptedFault,
  setup: { readonly always?: boolean; readonly profile?: Partial<ModelProfile> } = {},
): Promise<FaultyRun> {
  const replies = setup.always === true ? again(fault) : REPLIES;
  await using server = await startScriptedServer({
    replies,
    strict: true,
    ...(setup.always === true ? {} : { faults: { 1: fault } }),
  });
  const began = performance.now();
  const ended = await run(server, setup.profile).then(
    ({ status, failure_class }) => failure_class ?? status,
    (error: unknown) => reasonOf(error),
  );
  return { ended, elapsedMs: performance.now() - began, requests: server.requestCount };
}

function run(
  server: ScriptedServer,
  profile: Partial<ModelProfile> = {},
  more: { readonly signal?: AbortSignal } = {},
) {
  const clock = quickClock();
  const model = createModelClient({
    profile: {
      profile_id: 'test.model',
      base_url: server.url,
      model: 'm',
      max_retries: 1,
      ...profile,
    },
    fetch,
    clock,
  });
  const operations = memoryOperationLog({
    clock,
    ids: sequentialIds(),
    deadlineMs: DEADLINE_MS,
    ...more,
  });
  return runPlan(PLAN.reference, {
    ...runOptions(PLAN, { clock, model, operations }),
    runId: 'run_0001',
  });
}

function reasonOf(error: unknown): string {
  if (!MillforgeError.is(error, 'operation/suspended')) throw error;
  const { details } = error;
  const isReason = typeof details === 'object' && details !== null && 'reason' in details;
  return `suspended: ${isReason ? JSON.stringify(details['reason']).slice(1, -1) : ''}`;
}

/** One second of this machine. */
const DEADLINE_MS = 25_000;

const STREAMED: Partial<ModelProfile> = { stream: true, idle_timeout_seconds: 4 };
const UNAVAILABLE = 'suspended: unavailable';

/** What the server does, and how a run ends when it does so once, and when it always does. */
type Case = [
  name: string,
  fault: ScriptedFault,
  once: string,
  always: string,
  profile?: Partial<ModelProfile>,
];

const FAULTS: readonly Case[] = [
  [
    'E1 a 500 of a parser',
    { kind: 'status', status: 500, message: 'Failed to parse input at pos 12' },
    'success',
    UNAVAILABLE,
  ],
  [
    'E2 a 400 of a template',
    { kind: 'status', status: 400, message: 'Conversation roles must alternate.' },
    'model_failed',
    'model_failed',
  ],
  ['E3 a 401', { kind: 'status', status: 401 }, UNAVAILABLE, UNAVAILABLE],
  ['E3 a 403', { kind: 'status', status: 403 }, UNAVAILABLE, UNAVAILABLE],
  ['E4 a model that is not there', { kind: 'status', status: 404 }, UNAVAILABLE, UNAVAILABLE],
  ['E5 a 429', { kind: 'status', status: 429, retryAfter: '1' }, 'success', UNAVAILABLE],
  ['E5 a 503 while it loads', { kind: 'status', status: 503 }, 'success', UNAVAILABLE],
  ['E6 no answer at all', { kind: 'hang' }, 'deadline_expired', 'deadline_expired'],
  ['E6 a reset connection', { kind: 'reset' }, 'success', UNAVAILABLE],
  ['E6 half a body', { kind: 'cut-body' }, 'success', UNAVAILABLE],
  ['E6 a body that stalls', { kind: 'stall-body' }, 'deadline_expired', 'deadline_expired'],
  ['E7 a stream cut in the arguments', { kind: 'cut-body' }, 'success', UNAVAILABLE, STREAMED],
  ['E7 a stream that stalls', { kind: 'stall-body' }, 'success', UNAVAILABLE, STREAMED],
  ['E8 an error event', { kind: 'error-event' }, 'success', UNAVAILABLE, STREAMED],
  ['E9 no choices', { kind: 'no-choices' }, UNAVAILABLE, UNAVAILABLE],
  ['E9 a stream without choices', { kind: 'no-choices' }, UNAVAILABLE, UNAVAILABLE, STREAMED],
  ['E10 no usage', { kind: 'no-usage' }, 'success', 'success'],
  ['E10 a stream without usage', { kind: 'no-usage' }, 'success', 'success', STREAMED],
  ['E11 content as parts', { kind: 'content-parts' }, 'success', 'success'],
  ['E12 reasoning that is no text', { kind: 'reasoning-object' }, 'success', 'success'],
  ['E13 "stop" with calls', { kind: 'finish-reason', reason: 'stop' }, 'success', 'success'],
  [
    'E13 a reason that nobody knows',
    { kind: 'finish-reason', reason: 'eos' },
    'success',
    'success',
  ],
  ['E14 arguments as an object', { kind: 'arguments-object' }, 'success', 'success'],
  ['E15 bytes one by one', { kind: 'split-bytes' }, 'success', 'success', STREAMED],
  ['E16 comments between events', { kind: 'keep-alive' }, 'success', 'success', STREAMED],
  ['a web page', { kind: 'html' }, UNAVAILABLE, UNAVAILABLE],
  [
    'another content type',
    { kind: 'content-type', contentType: 'text/plain' },
    UNAVAILABLE,
    UNAVAILABLE,
  ],
  ['half of the JSON', { kind: 'malformed-json' }, UNAVAILABLE, UNAVAILABLE],
  ['the same id for every call', { kind: 'call-ids', ids: 'same' }, 'success', 'success'],
  ['no ids', { kind: 'call-ids', ids: 'missing' }, 'success', 'success'],
  ['cut arguments', { kind: 'malformed-arguments' }, 'success', 'tool_errors_exhausted'],
];

test.each<Case>(FAULTS)('a run meets %s and ends rightly within its deadline', async (...row) => {
  const [, fault, once, always, profile = {}] = row;
  const first = await runAgainst(fault, { profile });
  expect(first.ended).toBe(once);
  const each = await runAgainst(fault, { profile, always: true });
  expect(each.ended).toBe(always);
  for (const { elapsedMs } of [first, each]) expect(elapsedMs).toBeLessThan(2000);
});

test.each<[string, ScriptedFault, Partial<ModelProfile>]>([
  ['before the answer', { kind: 'hang' }, {}],
  ['in the middle of a body', { kind: 'stall-body' }, {}],
  [
    'in the middle of a stream',
    { kind: 'stall-body' },
    { stream: true, idle_timeout_seconds: 600 },
  ],
])('an abort %s closes the connection within a second (GP-12)', async (_, fault, profile) => {
  await using server = await startScriptedServer({
    replies: REPLIES.map((reply) => ({ ...reply, fault })),
  });
  const stop = new AbortController();
  const running = run(server, profile, { signal: stop.signal }).then(
    () => 'ended',
    (error: unknown) => reasonOf(error),
  );
  await server.arrived(1);
  const began = performance.now();
  stop.abort();
  expect(await running).toBe('suspended: stopped');
  await server.abandoned(1);
  expect(performance.now() - began).toBeLessThan(1000);
});
