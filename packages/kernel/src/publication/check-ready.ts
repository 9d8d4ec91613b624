import { kernelError } from '../kernel-error.ts';
import type { RunParts } from '../run/run-parts.ts';
import { callBounded, cut, reasonOf } from './ask-publisher.ts';
import type { PublicationView } from './publication-view.ts';
import type { Publisher } from './publisher.ts';

/** Asks the publisher whether it can begin here: what this machine lacks must not use an approval up. */
export async function checkReady(
  parts: RunParts,
  {
    publication: { intent, state },
    bytes,
    closing,
  }: {
    readonly publication: PublicationView;
    readonly bytes: Uint8Array;
    readonly closing: AbortSignal;
  },
  publisher: Publisher,
): Promise<void> {
  // What is not approved is refused by the transaction that would consume the approval.
  if (publisher.ready === undefined || state !== 'approved') return;
  const called = await callBounded<unknown>(parts, {
    call: async (signal) => publisher.ready?.({ intent, bytes, signal }),
    timeoutMs: READY_TIMEOUT_MS,
    closing,
  });
  const why =
    called.kind === 'silent'
      ? 'it did not say in time whether it can'
      : called.kind === 'failed'
        ? `looking failed (${reasonOf(called.error)})`
        : problemIn(called.value);
  if (why === null) return;
  throw kernelError(
    'kernel/publisher-not-ready',
    `The publisher ${publisher.name} cannot begin here: ${cut(parts.redactor.text(why))}. Nothing was sent, and the approval stands.`,
    { publisher: publisher.name, target: publisher.target },
  );
}

/** Only nothing at all is a yes: a host without types may return anything. */
function problemIn(answer: unknown): string | null {
  if (answer === null || answer === undefined) return null;
  return typeof answer === 'string' ? answer : 'it says no';
}

const READY_TIMEOUT_MS = 30_000;
