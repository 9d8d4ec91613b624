import { canonicalJson, type JsonValue, sha256 } from '@millforge/contracts';
import type { RunParts } from '../run/run-parts.ts';
import type { PublishAnswer, Publisher, PublishRequest } from './publisher.ts';
import type { Finding } from './settle-publication.ts';

type Parts = Pick<RunParts, 'clock' | 'redactor' | 'graceMs'>;

/** What a call came to: an answer, an error, or nothing in time. */
export type Called<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'silent'; readonly later: Promise<Called<T>> };

/** Calls host code for a bounded time: first it is told to end, then it is not waited for any longer. */
export async function callBounded<T>(
  { clock, graceMs }: Parts,
  {
    call,
    timeoutMs,
    closing,
  }: {
    readonly call: (signal: AbortSignal) => Promise<T>;
    readonly timeoutMs: number;
    readonly closing: AbortSignal;
  },
): Promise<Called<T>> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  closing.addEventListener('abort', stop);
  if (closing.aborted) stop();
  const ended = new AbortController();
  // A call that throws before it gives a promise has failed like any other.
  const later = (async () => call(controller.signal))().then(
    (value): Called<T> => ({ kind: 'answered', value }),
    (error: unknown): Called<T> => ({ kind: 'failed', error }),
  );
  void later.then(() => ended.abort());
  const inTime = await Promise.race([
    later,
    waited(clock.delay(timeoutMs, AbortSignal.any([ended.signal, closing]))),
  ]);
  if (inTime === null) stop();
  const answer =
    inTime ?? (await Promise.race([later, waited(clock.delay(graceMs, ended.signal))]));
  ended.abort();
  closing.removeEventListener('abort', stop);
  return answer ?? { kind: 'silent', later };
}

/** Judges what a publisher gave: only a valid answer that names this very operation settles anything. */
export function judgeAnswer(
  { redactor }: Parts,
  operationId: string,
  called: Called<PublishAnswer>,
): Finding {
  if (called.kind === 'silent') {
    return unknown('no-answer', 'No answer came in time; nobody knows whether it arrived.');
  }
  if (called.kind === 'failed') {
    return unknown(
      'publisher-failed',
      `The publisher failed: ${cut(redactor.text(reasonOf(called.error)))}; nobody knows whether it arrived.`,
    );
  }
  const answer: Partial<PublishAnswer> | null | undefined = called.value;
  const evidence = keepEvidence({ redactor }, answer?.evidence);
  if (answer?.kind === 'acknowledged' && answer.operationId === operationId) {
    return {
      state: 'accepted',
      reason: 'acknowledged',
      message: 'The receiver has it, and names this operation.',
      evidence,
    };
  }
  if (answer?.kind === 'refused' && typeof answer.message === 'string') {
    return {
      state: 'rejected',
      reason: 'refused',
      message: `The receiver refuses it: ${cut(redactor.text(answer.message))}`,
      evidence,
    };
  }
  if (answer?.kind === 'not-sent' && typeof answer.message === 'string') {
    const message = `Nothing was sent: ${cut(redactor.text(answer.message))}`;
    return { state: 'rejected', reason: 'not-sent', message, evidence };
  }
  return {
    ...unknown(
      'invalid-acknowledgement',
      'The answer names no operation or another one, so it says nothing about this one.',
    ),
    evidence,
  };
}

/** What is kept of what a receiver said: redacted, and never more than a little. */
export function keepEvidence(
  { redactor }: Pick<Parts, 'redactor'>,
  evidence: JsonValue | undefined,
): JsonValue {
  if (evidence === undefined || evidence === null) return null;
  let text: string;
  let redacted: JsonValue;
  try {
    redacted = redactor.value(evidence);
    text = canonicalJson(redacted);
  } catch {
    // A publisher of a host may return anything; what is no JSON is no evidence.
    return null;
  }
  return text.length <= MAX_EVIDENCE ? redacted : { sha256: sha256(text), bytes: text.length };
}

/** Sends, exactly once; the caller has consumed the approval. */
export async function sendOnce(
  parts: RunParts,
  {
    publisher,
    request,
    name,
    timeoutMs,
    closing,
  }: {
    readonly publisher: Publisher;
    readonly request: Omit<PublishRequest, 'signal'>;
    readonly name: string;
    readonly timeoutMs: number;
    readonly closing: AbortSignal;
  },
): Promise<Called<PublishAnswer>> {
  return callBounded(parts, {
    timeoutMs,
    closing,
    call: (signal) => {
      parts.reach('before:publish');
      const act = (async () => publisher.publish({ ...request, signal }))();
      parts.unsettled.watch(name, act);
      return act.finally(() => parts.reach('after:publish'));
    },
  });
}

async function waited(delay: Promise<void>): Promise<null> {
  // The wait ends early when there is an answer.
  await delay.catch(() => undefined);
  return null;
}

function unknown(
  reason: 'no-answer' | 'publisher-failed' | 'invalid-acknowledgement',
  message: string,
): Finding {
  return { state: 'unknown', reason, message, evidence: null };
}

/** What host code said when it failed. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it threw no error';
}

/** One line of what a publisher said, and never a long one. */
export function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

const MAX_EVIDENCE = 4096;
