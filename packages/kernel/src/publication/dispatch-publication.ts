import { kernelError } from '../kernel-error.ts';
import type { RunParts } from '../run/run-parts.ts';
import type { Scope } from '../scope.ts';
import { type Called, judgeAnswer, sendOnce } from './ask-publisher.ts';
import { checkReady } from './check-ready.ts';
import { readPayloadBytes } from './payload-bytes.ts';
import type { PublicationIntent } from './publication-intent.ts';
import type { Answer, OwnSendings, PublicationStore } from './publication-store.ts';
import type { PublicationView } from './publication-view.ts';
import type { DispatchOptions, PublicationName } from './publications.ts';
import type { PublishAnswer, Publisher } from './publisher.ts';
import { SEND_WITHIN_MS, type Sending } from './send-publication.ts';
import { sendingName } from './sending-name.ts';

/** What dispatch and reconcile work with. */
export interface Flow {
  readonly parts: RunParts;
  readonly store: PublicationStore;
  readonly here: OwnSendings;
}

/** Which publication is meant, on whose behalf, and until when. */
export interface Subject {
  readonly scope: Scope;
  readonly name: PublicationName;
  readonly closing: AbortSignal;
}

/** Consumes the approval, sends once, and records what is known then. */
export async function dispatchPublication(
  { parts, store, here }: Flow,
  { scope, name, closing }: Subject,
  options: DispatchOptions,
): Promise<void> {
  const { publisher } = options;
  const publication = await store.read(scope.tenant, name, here);
  checkPublisher(publication.intent, publisher);
  // Everything that can fail without a send fails before the approval is consumed.
  const bytes = await readPayloadBytes({ store, artifacts: parts.artifacts }, publication.intent);
  await checkReady(parts, { publication, bytes, closing }, publisher);
  await confirm(publication, options);
  const startedMs = parts.clock.monotonicMs();
  const sending = await store.send(scope, name, here);
  if (sending === null) {
    throw kernelError(
      'kernel/approval-expired',
      'The approval was not used in time; intend it again and have it approved again.',
    );
  }
  const why = closing.aborted
    ? CLOSING
    : isTooLate(parts, { sending, startedMs })
      ? TOO_LATE
      : null;
  if (why !== null) {
    await store.answer(scope, name, notSent(why));
    return;
  }
  const called = await sendOnce(parts, {
    publisher,
    request: { ...sending, intent: publication.intent, bytes },
    name: sendingName(publication.intent.goal_uid, publication.publication_id),
    timeoutMs: options.timeoutMs ?? PUBLISH_TIMEOUT_MS,
    closing,
  });
  const record = (answer: Called<PublishAnswer>): Promise<void> =>
    store.answer(scope, name, toAnswer(parts, sending, answer));
  await record(called);
  // An answer that comes later still says something; it is lost only with the process.
  if (called.kind === 'silent') {
    void called.later.then((late) => record(late)).catch(() => undefined);
  }
}

/** Refuses a publisher that is not the one that was approved. */
export function checkPublisher(
  { action }: Pick<PublicationIntent, 'action'>,
  publisher: Publisher,
): void {
  if (publisher.name === action.publisher && publisher.target === action.target) return;
  throw kernelError(
    'kernel/publisher-mismatch',
    `The intent is for ${action.publisher} at ${action.target}; hand over the publisher of that name and place.`,
    { publisher: action.publisher, target: action.target },
  );
}

async function confirm(
  { approval, intent, state }: PublicationView,
  { confirmApprover }: DispatchOptions,
): Promise<void> {
  // What is not approved is refused by the transaction that would consume the approval.
  if (state !== 'approved' || approval === null) return;
  // A host without types may return anything that is no clear no either.
  const answer: unknown = await confirmApprover({ actor: approval.by, intent });
  if (answer === true) return;
  throw kernelError(
    'kernel/approver-not-confirmed',
    `The host does not confirm that ${approval.by} may still approve this; have it approved by somebody who may.`,
    { actor: approval.by },
  );
}

function toAnswer(
  parts: RunParts,
  { operationId }: Sending,
  called: Called<PublishAnswer>,
): Answer {
  return {
    finding: judgeAnswer(parts, operationId, called),
    isSettled: called.kind !== 'silent',
  };
}

function notSent(message: string): Answer {
  const finding = { state: 'rejected', reason: 'not-sent', message, evidence: null } as const;
  return { finding, isSettled: true };
}

/** A process that was stopped in between sends nothing; the wall clock may have been set meanwhile. */
function isTooLate(
  { clock }: RunParts,
  { sending, startedMs }: { readonly sending: Sending; readonly startedMs: number },
): boolean {
  return clock.now() >= sending.sendByMs || clock.monotonicMs() - startedMs >= SEND_WITHIN_MS;
}

const PUBLISH_TIMEOUT_MS = 60_000;
const TOO_LATE = 'The time for it was over before anything was sent.';
const CLOSING = 'Its process was told to end before anything was sent.';
