import {
  type JsonValue,
  type Operation,
  type OperationLog,
  type OperationOutcome,
  operationFailed,
  operationRefused,
  operationUnavailable,
  operationUncertain,
} from '@millforge/contracts';
import { diverged, equal, rejection, suspended } from './assertions.ts';
import {
  acting,
  continued,
  DOUBT,
  modelCall,
  readCall,
  throwing,
  writeCall,
} from './sample-operations.ts';

/** One run under test, and the hands that act on it from outside. */
export interface OperationLogSubject {
  /** The log of a run that has just begun. */
  readonly log: OperationLog;
  /** Stops the run: `signal` aborts, and operations in flight are told. */
  stop(): void | Promise<void>;
  /** The log of the same run, resumed after it was stopped or suspended: it replays what was recorded. */
  resume(): OperationLog | Promise<OperationLog>;
  /** Moves the time that the log sees. */
  advance(ms: number): void | Promise<void>;
  /** Frees what the subject holds. */
  close(): void | Promise<void>;
}

/** What the suite is run with. */
export interface OperationLogSuite {
  /** Registers one test, as `test` of vitest and of `node:test` do. */
  readonly test: (title: string, run: () => Promise<void>) => unknown;
  /** Begins a fresh run; live operations are refused once `deadlineMs` milliseconds have passed. */
  readonly createLog: (options: {
    readonly deadlineMs?: number;
  }) => OperationLogSubject | Promise<OperationLogSubject>;
}

/**
 * Holds an operation log to the promises of its port.
 *
 * The same tests are run against the log in memory and the durable one; assertions throw `testing/assertion`.
 */
export function operationLogConformance({ test, createLog }: OperationLogSuite): void {
  const check: Check = (title, run, options = {}) =>
    test(`an operation log ${title}`, async () => {
      const subject = await createLog(options);
      try {
        await run(subject);
      } finally {
        await subject.close();
      }
    });
  checkReplay(check);
  checkFailures(check);
  checkDoubt(check);
  checkStops(check);
  checkDivergence(check);
}

type Check = (
  title: string,
  run: (subject: OperationLogSubject) => Promise<void>,
  options?: { readonly deadlineMs?: number },
) => unknown;

function checkReplay(check: Check): void {
  check('performs an operation once and gives what the act gave', async ({ log }) => {
    const act = acting({ text: 'hello' });
    equal(await log.perform(modelCall(1), act.run), done({ text: 'hello' }, false));
    equal(act.count, 1);
  });

  check('gives the act a signal and an idempotency key', async ({ log }) => {
    const keys: string[] = [];
    for (const step of [1, 2]) {
      await log.perform(modelCall(step), async ({ signal, idempotencyKey }) => {
        equal(signal.aborted, false);
        keys.push(idempotencyKey);
        return { value: null };
      });
    }
    equal(new Set(keys).size, 2);
    equal(
      keys.every((key) => key.length > 0),
      true,
    );
  });

  check('replays a recorded operation without performing it', async (subject) => {
    const first = acting({ n: [1, 2.5, null, 'é'] }, { input_tokens: 3 });
    await subject.log.perform(modelCall(1), first.run);
    const log = await restarted(subject);
    const again = acting('other');
    equal(await log.perform(modelCall(1), again.run), done({ n: [1, 2.5, null, 'é'] }, true));
    equal(again.count, 0);
    const next = acting('live');
    equal(await log.perform(modelCall(2), next.run), done('live', false));
  });

  check('asks before a live performance only', async (subject) => {
    let looked = 0;
    const operation = writeCall('tool/1/0', {
      before: async () => {
        looked += 1;
        return { sha256: 'a' };
      },
    });
    await subject.log.perform(operation, acting('written').run);
    const log = await restarted(subject);
    equal(await log.perform(operation, acting('twice').run), done('written', true));
    equal(looked, 1);
  });

  check('keeps the operations of one step apart by their keys', async (subject) => {
    const operations = [0, 1, 2].map((place) => ({
      ...readCall(`tool/1/${place}`),
      input: { place },
    }));
    await Promise.all(operations.map((one, place) => subject.log.perform(one, acting(place).run)));
    const log = await restarted(subject);
    const replayed = await Promise.all(
      operations.toReversed().map((one) => log.perform(one, acting('never').run)),
    );
    equal(replayed, [done(2, true), done(1, true), done(0, true)]);
  });

  check('derives identifiers from their keys alone', async (subject) => {
    const [first, second] = [subject.log.newId('a'), subject.log.newId('b')];
    equal(first === second, false);
    const log = await restarted(subject);
    equal([log.newId('b'), log.newId('a')], [second, first]);
  });

  check('says what a replay holds, where it can say it', async (subject) => {
    if (subject.log.isRecorded === undefined) return;
    equal(subject.log.isRecorded('model/1'), false);
    await subject.log.perform(modelCall(1), acting('live').run);
    const log = await restarted(subject);
    equal([log.isRecorded?.('model/1'), log.isRecorded?.('model/2')], [true, false]);
  });

  check('replays a conversation whose inputs continue each other', async (subject) => {
    const turns = [modelCall(1), continued(2), continued(3)];
    for (const turn of turns) await subject.log.perform(turn, acting(turn.key).run);
    const log = await restarted(subject);
    for (const turn of turns) {
      equal(await log.perform(turn, acting('never').run), done(turn.key, true));
    }
  });
}

function checkFailures(check: Check): void {
  check('records a failure that the act knows of', async (subject) => {
    const failure = { code: 'invalid_request', message: 'The server refused it.', data: [1] };
    const outcome = await subject.log.perform(modelCall(1), throwing(operationFailed(failure)));
    equal(outcome, { kind: 'failed', error: failure, replayed: false });
    const log = await restarted(subject);
    equal(await log.perform(modelCall(1), acting('never').run), {
      kind: 'failed',
      error: failure,
      replayed: true,
    });
  });

  check('records any other throw of an act without effect as a failure', async (subject) => {
    const outcome = await subject.log.perform(modelCall(1), throwing(new TypeError('broken')));
    equal(outcome.kind, 'failed');
    const log = await restarted(subject);
    const replayed = await log.perform(modelCall(1), acting('never').run);
    equal([replayed.kind, replayed.replayed], ['failed', true]);
  });

  check('records a refusal of before, and never acts', async (subject) => {
    const reason = { code: 'conflict', message: 'The file has changed.', data: { path: 'a' } };
    const act = acting('never');
    const refusing = writeCall('tool/1/0', {
      before: () => Promise.reject(operationRefused(reason)),
    });
    equal(await subject.log.perform(refusing, act.run), {
      kind: 'refused',
      reason,
      replayed: false,
    });
    const log = await restarted(subject);
    equal(await log.perform(writeCall('tool/1/0'), act.run), {
      kind: 'refused',
      reason,
      replayed: true,
    });
    equal(act.count, 0);
  });

  check('records nothing when the other side is unavailable, and suspends', async (subject) => {
    const failure = { code: 'connection', message: 'Nobody listens there.' };
    const error = await rejection(
      subject.log.perform(modelCall(1), throwing(operationUnavailable(failure))),
    );
    suspended(error, 'unavailable');
    const log = await restarted(subject);
    equal(await log.perform(modelCall(1), acting('back').run), done('back', false));
  });

  check(
    'refuses live operations past the deadline, and replays the refusal',
    async (subject) => {
      const act = acting('never');
      await subject.log.perform(modelCall(1), acting('in time').run);
      await subject.advance(5000);
      const late = await subject.log.perform(modelCall(2), act.run);
      equal([late.kind, late.kind === 'refused' && late.reason.code], ['refused', 'deadline']);
      const log = await restarted(subject);
      equal(await log.perform(modelCall(1), act.run), done('in time', true));
      const again = await log.perform(modelCall(2), act.run);
      equal(
        [again.kind, again.kind === 'refused' && again.reason.code, again.replayed],
        ['refused', 'deadline', true],
      );
      equal(act.count, 0);
    },
    { deadlineMs: 5000 },
  );
}

function checkDoubt(check: Check): void {
  check(
    'tries a safe operation in doubt again, under the same idempotency key',
    async ({ log }) => {
      const keys: string[] = [];
      const outcome = await log.perform(modelCall(1), async ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        if (keys.length < 3) throw operationUncertain(DOUBT);
        return { value: 'third' };
      });
      equal(outcome, done('third', false));
      equal(new Set(keys).size, 1);
    },
  );

  check('holds a safe operation after three tries in doubt', async ({ log }) => {
    let tries = 0;
    const error = await rejection(
      log.perform(modelCall(1), async () => {
        tries += 1;
        throw operationUncertain(DOUBT);
      }),
    );
    suspended(error, 'held');
    equal(tries, 3);
  });

  check('records what reconcile found to have happened', async (subject) => {
    const operation = writeCall('tool/1/0', {
      before: async () => ({ sha256: 'old' }),
      reconcile: async ({ before }) => ({ kind: 'happened', value: ['seen', before] }),
    });
    const outcome = await subject.log.perform(operation, throwing(operationUncertain(DOUBT)));
    equal(outcome, done(['seen', { sha256: 'old' }], false));
    const log = await restarted(subject);
    equal(
      await log.perform(operation, acting('never').run),
      done(['seen', { sha256: 'old' }], true),
    );
  });

  check('performs again what reconcile found not to have happened', async ({ log }) => {
    let tries = 0;
    const operation = writeCall('tool/1/0', {
      reconcile: async () => ({ kind: 'not-happened' }),
    });
    const outcome = await log.perform(operation, async () => {
      tries += 1;
      if (tries === 1) throw operationUncertain(DOUBT);
      return { value: 'second' };
    });
    equal(outcome, done('second', false));
  });

  check('holds an unsafe operation that nobody can tell about', async ({ log }) => {
    let tries = 0;
    const error = await rejection(
      log.perform(writeCall('tool/1/0'), async () => {
        tries += 1;
        throw operationUncertain(DOUBT);
      }),
    );
    suspended(error, 'held');
    equal(tries, 1);
  });

  check('holds an unsafe operation whose reconcile throws', async ({ log }) => {
    const operation = writeCall('tool/1/0', { reconcile: () => Promise.reject(new Error('no')) });
    suspended(await rejection(log.perform(operation, throwing(operationUncertain(DOUBT)))), 'held');
  });

  check('counts any unknown throw of an act with an effect as doubt', async ({ log }) => {
    const error = await rejection(
      log.perform(writeCall('tool/1/0'), throwing(new TypeError('broken'))),
    );
    suspended(error, 'held');
  });
}

function checkStops(check: Check): void {
  check('tells an operation in flight to stop, and performs it on resume', async (subject) => {
    const { log } = subject;
    const pending: Promise<unknown>[] = [];
    await new Promise<void>((begun) => {
      const act = ({ signal }: { readonly signal: AbortSignal }) => {
        begun();
        return new Promise<{ value: JsonValue }>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      };
      pending.push(rejection(log.perform(readCall('tool/1/0'), act)));
    });
    await subject.stop();
    suspended(await pending[0], 'stopped');
    equal(log.signal.aborted, true);
    const resumed = await subject.resume();
    equal(resumed.signal.aborted, false);
    equal(await resumed.perform(readCall('tool/1/0'), acting('read').run), done('read', false));
  });

  check('begins nothing after a stop', async (subject) => {
    await subject.stop();
    const act = acting('never');
    suspended(await rejection(subject.log.perform(modelCall(1), act.run)), 'stopped');
    equal(act.count, 0);
  });
}

function checkDivergence(check: Check): void {
  const changes: readonly (readonly [string, Partial<Operation>])[] = [
    ['input', { input: { path: 'other' } }],
    ['kind', { kind: 'read' }],
    ['effect', { effect: 'external' }],
    ['repeat', { repeat: 'safe' }],
  ];
  for (const [what, change] of changes) {
    check(`refuses a replay that asks with another ${what}`, async (subject) => {
      await subject.log.perform(writeCall('tool/1/0'), acting('written').run);
      const log = await restarted(subject);
      const act = acting('never');
      diverged(
        await rejection(log.perform({ ...writeCall('tool/1/0'), ...change }, act.run)),
        'tool/1/0',
      );
      equal(act.count, 0);
    });
  }

  check('refuses a replay whose conversation differs further back', async (subject) => {
    await subject.log.perform(modelCall(1), acting('a').run);
    await subject.log.perform(continued(2), acting('b').run);
    const log = await restarted(subject);
    await log.perform(modelCall(1), acting('never').run);
    const { extends: _dropped, ...alone } = continued(2);
    diverged(await rejection(log.perform(alone, acting('never').run)), 'model/2');
  });

  check('refuses a live operation while an earlier step was not asked for', async (subject) => {
    await subject.log.perform(modelCall(1), acting('a').run);
    const log = await restarted(subject);
    diverged(await rejection(log.perform(modelCall(2), acting('never').run)), null);
  });

  check('refuses a live operation in a step before a recorded one', async (subject) => {
    await subject.log.perform(modelCall(1), acting('a').run);
    await subject.log.perform(modelCall(2), acting('b').run);
    const log = await restarted(subject);
    await log.perform(modelCall(1), acting('never').run);
    diverged(await rejection(log.perform(readCall('tool/1/0'), acting('never').run)), null);
  });
}

function done(value: JsonValue, replayed: boolean): OperationOutcome {
  return { kind: 'done', value, replayed };
}

/** Stops the run and begins it again from what was recorded. */
async function restarted(subject: OperationLogSubject): Promise<OperationLog> {
  await subject.stop();
  return subject.resume();
}
