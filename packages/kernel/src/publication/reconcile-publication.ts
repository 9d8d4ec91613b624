import type { RunParts } from '../run/run-parts.ts';
import { callBounded, keepEvidence } from './ask-publisher.ts';
import { checkPublisher, type Flow, type Subject } from './dispatch-publication.ts';
import { readPayloadBytes } from './payload-bytes.ts';
import type { PublicationOperation, PublicationView } from './publication-view.ts';
import type { ReconcileOptions } from './publications.ts';
import type { Inspection } from './publisher.ts';
import type { Finding } from './settle-publication.ts';

/**
 * Asks the receiver, and records an end only where there is one.
 *
 * Whether the sender is through is settled before the receiver is asked: what is absent while somebody may still
 * send says nothing.
 */
export async function reconcilePublication(
  flow: Flow,
  subject: Subject,
  options: ReconcileOptions,
): Promise<void> {
  const { parts, store, here } = flow;
  const { scope, name } = subject;
  const { publisher } = options;
  await store.assertHere(scope.tenant, name.goalId);
  const found = await store.read(scope.tenant, name, here);
  checkPublisher(found.intent, publisher);
  await recordGone(flow, subject, found);
  const publication = await store.read(scope.tenant, name, here);
  const { operation, version } = publication;
  if (operation === null || !isOpen(publication)) return;
  const inspectedAt = parts.clock.now();
  const inspection = await inspect(flow, subject, { ...options, publication, operation });
  if (inspection === null) return;
  const finding = judgeInspection(parts, {
    inspection,
    operation,
    absence: absenceOf(publication, { settleMs: publisher.settleMs, inspectedAt }),
  });
  if (finding === null) return;
  await store.find(scope, name, { finding, version, isSettled: false });
}

/** Notes that the sender is through, once: the receiver's time to settle counts from here. */
async function recordGone(
  { store }: Flow,
  { scope, name }: Subject,
  publication: PublicationView,
): Promise<void> {
  const { operation, version, is_restored } = publication;
  if (operation === null || !isOpen(publication) || is_restored) return;
  if (operation.settled_at !== null || operation.sender !== null) return;
  await store.find(scope, name, { finding: SENDER_GONE, version, isSettled: true });
}

async function inspect(
  { parts, store }: Flow,
  { closing }: Subject,
  {
    publisher,
    publication: { intent },
    operation,
    timeoutMs = INSPECT_TIMEOUT_MS,
  }: ReconcileOptions & {
    readonly publication: PublicationView;
    readonly operation: PublicationOperation;
  },
): Promise<Inspection | null> {
  const bytes = await readPayloadBytes({ store, artifacts: parts.artifacts }, intent);
  parts.reach('before:inspect');
  const called = await callBounded(parts, {
    call: (signal) =>
      publisher.inspect({ operationId: operation.operation_id, intent, bytes, signal }),
    timeoutMs,
    closing,
  });
  parts.reach('after:inspect');
  return called.kind === 'answered' ? called.value : null;
}

/** How much it says that the receiver does not have it. */
interface Absence {
  /** Whether nobody can send it any more. */
  readonly isSenderGone: boolean;
  /** Whether what was sent before cannot be applied any more either. */
  readonly isOver: boolean;
}

function absenceOf(
  { operation, is_restored }: PublicationView,
  { settleMs, inspectedAt }: { readonly settleMs: number | null; readonly inspectedAt: number },
): Absence {
  const settledAt = operation?.settled_at ?? null;
  if (settledAt === null || is_restored) return { isSenderGone: false, isOver: false };
  const passedMs = inspectedAt - Date.parse(settledAt);
  return { isSenderGone: true, isOver: settleMs !== null && settleMs >= 0 && passedMs >= settleMs };
}

/** An end, or null where it stays unknown. */
function judgeInspection(
  parts: RunParts,
  {
    inspection,
    operation,
    absence,
  }: {
    readonly inspection: Inspection;
    readonly operation: PublicationOperation;
    readonly absence: Absence;
  },
): Finding | null {
  // A publisher of a host may return anything.
  const answer: Partial<Inspection> | null | undefined = inspection;
  const evidence = keepEvidence(parts, answer?.evidence);
  if (answer?.kind === 'found' && answer.operationId === operation.operation_id) {
    return { ...FOUND, evidence };
  }
  if (answer?.kind !== 'absent') return null;
  const isFinal = answer.isFinal === true && absence.isSenderGone;
  return isFinal || absence.isOver ? { ...FINALLY_ABSENT, evidence } : null;
}

function isOpen({ state }: PublicationView): boolean {
  return state === 'sending' || state === 'unknown';
}

const INSPECT_TIMEOUT_MS = 30_000;
const SENDER_GONE: Finding = {
  state: 'unknown',
  reason: 'sender-gone',
  message: 'The process that was to send it is gone; nobody knows whether it did.',
  evidence: null,
};
const FOUND: Omit<Finding, 'evidence'> = {
  state: 'accepted',
  reason: 'found',
  message: 'The receiver was asked, and has it.',
};
const FINALLY_ABSENT: Omit<Finding, 'evidence'> = {
  state: 'rejected',
  reason: 'finally-absent',
  message: 'The receiver does not have it and cannot get it any more.',
};
