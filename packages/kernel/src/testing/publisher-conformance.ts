import { digest, sha256 } from '@millforge/contracts';
import type { PublicationIntent } from '../publication/publication-intent.ts';
import type {
  Inspection,
  PublishAnswer,
  Publisher,
  PublishRequest,
} from '../publication/publisher.ts';
import { equal } from './assertions.ts';

/** A publisher under test, the receiver behind it, and the hands that make things go wrong in between. */
export interface PublisherSubject {
  /** The publisher. */
  readonly publisher: Publisher;
  /** A payload that the receiver takes, and has not seen. */
  readonly bytes: Uint8Array;
  /** How long an answer is waited for, in milliseconds; default 10 s. */
  readonly patienceMs?: number;
  /** How often the receiver applied something, told by the receiver itself. */
  applied(): number | Promise<number>;
  /** The next thing sent is applied, and its answer is lost. */
  loseAnswer(): void | Promise<void>;
  /** The next thing sent does not arrive; the way is whole again behind it. */
  loseRequest(): void | Promise<void>;
  /** The receiver refuses whatever is sent from here on. */
  refuse(): void | Promise<void>;
  /** Frees what the subject holds. */
  close(): void | Promise<void>;
}

/** What the suite is run with. */
export interface PublisherSuite {
  /** Registers one test, as `test` of vitest and of `node:test` do. */
  readonly test: (title: string, run: () => Promise<void>) => unknown;
  /** Makes a subject whose receiver has nothing yet. */
  readonly open: () => PublisherSubject | Promise<PublisherSubject>;
}

/**
 * Holds a publisher to the promises of its port.
 *
 * Assertions throw `testing/assertion`. The suite tells the publisher to send once for each test, as the kernel does.
 */
export function publisherConformance({ test, open }: PublisherSuite): void {
  for (const [title, run] of LAWS) {
    test(`a publisher ${title}`, async () => {
      const subject = await open();
      try {
        await run(subject);
      } finally {
        await subject.close();
      }
    });
  }
}

type Law = (subject: PublisherSubject) => Promise<void>;

const LAWS: readonly (readonly [title: string, law: Law])[] = [
  [
    'names a publisher and a place',
    async ({ publisher }) => {
      equal([typeof publisher.name, typeof publisher.target], ['string', 'string']);
      equal(publisher.name !== '' && publisher.target !== '', true);
      equal(publisher.settleMs === null || publisher.settleMs >= 0, true);
    },
  ],
  [
    'takes before an approval what its receiver takes',
    async ({ publisher, bytes }) => {
      const payload = { bytes, mediaType: 'application/json' };
      equal(publisher.checkPayload?.(payload) ?? null, null);
    },
  ],
  [
    'is ready, as often as it is asked, where it can send, and sends nothing by it',
    async (subject) => {
      const { intent, bytes, signal } = requestOf(subject);
      for (const _ of [1, 2]) {
        equal((await subject.publisher.ready?.({ intent, bytes, signal })) ?? null, null);
      }
      equal(await subject.applied(), 0);
    },
  ],
  [
    'acknowledges what was applied, naming the operation',
    async (subject) => {
      const request = requestOf(subject);
      const answer = await subject.publisher.publish(request);
      equal(summary(answer), ['acknowledged', request.operationId]);
      equal(await subject.applied(), 1);
    },
  ],
  [
    'finds what was applied, as often as it is asked',
    async (subject) => {
      const request = requestOf(subject);
      await subject.publisher.publish(request);
      for (const _ of [1, 2]) {
        equal(summary(await subject.publisher.inspect(request)), ['found', request.operationId]);
      }
      equal(await subject.applied(), 1);
    },
  ],
  [
    'finds nothing that was never sent, and does not bring it about by looking',
    async (subject) => {
      const found = await subject.publisher.inspect(requestOf(subject));
      equal(found.kind === 'found', false);
      equal(await subject.applied(), 0);
    },
  ],
  [
    'acknowledges nothing whose answer was lost, and finds it',
    async (subject) => {
      const request = requestOf(subject);
      await subject.loseAnswer();
      equal(await isUnclear(subject.publisher.publish(request)), true);
      equal(summary(await subject.publisher.inspect(request)), ['found', request.operationId]);
      equal(await subject.applied(), 1);
    },
  ],
  [
    'acknowledges nothing that did not arrive, and does not find it',
    async (subject) => {
      const request = requestOf(subject);
      await subject.loseRequest();
      equal(await isUnclear(subject.publisher.publish(request)), true);
      equal((await subject.publisher.inspect(request)).kind === 'found', false);
      equal(await subject.applied(), 0);
    },
  ],
  [
    'tells a refusal from silence',
    async (subject) => {
      const request = requestOf(subject);
      await subject.refuse();
      equal((await subject.publisher.publish(request)).kind, 'refused');
      equal((await subject.publisher.inspect(request)).kind === 'found', false);
      equal(await subject.applied(), 0);
    },
  ],
  [
    'sends nothing once the time for it is over, and says so',
    async (subject) => {
      const answer = await subject.publisher.publish({ ...requestOf(subject), sendByMs: 0 });
      equal(answer.kind === 'not-sent' || answer.kind === 'refused', true);
      equal(await subject.applied(), 0);
    },
  ],
  [
    'ends when nobody waits any more, without a word that was not said',
    async (subject) => {
      const answer = subject.publisher.publish({
        ...requestOf(subject),
        signal: AbortSignal.abort(),
      });
      const kind = await answer.then(
        (given) => given.kind,
        () => 'unknown',
      );
      if (kind !== 'acknowledged') return;
      equal(await subject.applied(), 1);
    },
  ],
];

/** Whether an answer leaves the outcome open: it threw, or it is no valid answer. */
async function isUnclear(answer: Promise<PublishAnswer>): Promise<boolean> {
  return answer.then(
    (given) =>
      given.kind !== 'refused' && given.kind !== 'not-sent' && given.kind !== 'acknowledged',
    () => true,
  );
}

function summary(answer: PublishAnswer | Inspection): readonly [string, string | null] {
  return [answer.kind, 'operationId' in answer ? answer.operationId : null];
}

function requestOf({ publisher, bytes, patienceMs = 10_000 }: PublisherSubject): PublishRequest {
  const intent = intentOf(publisher, bytes);
  return {
    operationId: digest({ of: intent.payload.sha256, to: publisher.target }),
    intent,
    bytes,
    sendByMs: Number.MAX_SAFE_INTEGER,
    signal: AbortSignal.timeout(patienceMs),
  };
}

function intentOf(publisher: Publisher, bytes: Uint8Array): PublicationIntent {
  return {
    kind: 'publication_intent',
    schema_version: '1.0',
    tenant: 'local',
    resource: 'conformance',
    goal_id: 'goal',
    goal_uid: 'goal_0',
    contract_sha256: '0'.repeat(64),
    receipt_sha256: null,
    policy: 'conformance',
    revision: 'one',
    action: { publisher: publisher.name, target: publisher.target, parameters: {} },
    payload: { sha256: sha256(bytes), bytes: bytes.byteLength, media_type: 'application/json' },
    round: 1,
  };
}
