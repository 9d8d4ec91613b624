import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Ids, type JsonValue, sha256 } from '@millforge/contracts';
import { reasonOf } from './ask-publisher.ts';
import { createLocalReceiver, type LocalReceiver } from './local-receiver.ts';
import type { Inspection, PublishAnswer, Publisher, PublishRequest } from './publisher.ts';

/** What goes wrong on the way to the local receiver and back. */
export type LocalFault =
  /** The receiver applies it; the answer never comes. */
  | 'lost-response'
  /** Nothing reaches the receiver, and nothing comes back. */
  | 'lost-request'
  /** The network delivers the same message twice. */
  | 'duplicate-delivery'
  /** The receiver keeps the message and applies it later; the answer never comes. */
  | 'delayed-apply'
  /** The receiver applies it and names another operation. */
  | 'invalid-acknowledgement'
  /** The receiver refuses it. */
  | 'refusal';

/** What a local publisher is made of. */
export interface LocalPublisherOptions {
  /** Directory of the receiver; made when it is missing. */
  readonly directory: string;
  /** Source of fresh names. */
  readonly ids: Ids;
  /** Asked before every sending what goes wrong with it; null for nothing. Default: nothing. */
  readonly fault?: () => LocalFault | null;
  /** How long the receiver keeps a message that it has not applied; null for ever. Default 1 s. */
  readonly settleMs?: number | null;
  /** Whether being asked about an operation that it does not have makes the receiver refuse it from then on. */
  readonly seals?: boolean;
  /** Wall time, for what the receiver keeps. */
  readonly now: () => number;
}

/** A publisher whose receiver can be told to go on. */
export interface LocalPublisher extends Publisher {
  /** Lets the receiver apply what it kept and what is not too old by now. */
  applyWaiting(): Promise<void>;
}

/**
 * Publishes into a directory: a durable receiver on this machine, with the faults of a far one.
 *
 * It shows what a host's own publisher has to live with; whatever goes wrong, the receiver's files tell what happened.
 */
export function localPublisher(options: LocalPublisherOptions): LocalPublisher {
  const { directory, settleMs = 1000, seals = false } = options;
  const receiver = createLocalReceiver({ directory, ids: options.ids, now: options.now, settleMs });
  const fault = options.fault ?? (() => null);
  return {
    name: 'local',
    target: directory,
    settleMs,
    applyWaiting: () => receiver.applyWaiting(),
    ready: () => findObstacle(directory),
    async publish(request) {
      if (options.now() >= request.sendByMs) {
        return { kind: 'not-sent', message: 'its time was over.' };
      }
      return deliver(receiver, request, fault());
    },
    async inspect({ operationId }): Promise<Inspection> {
      await receiver.dropLate();
      const known = await receiver.look(operationId);
      if (known === 'applied') return { kind: 'found', operationId };
      const isSealed = known === 'sealed' || (seals && (await receiver.seal(operationId)));
      if (isSealed) return { kind: 'absent', isFinal: true };
      // Between looking and sealing it may have arrived.
      return (await receiver.look(operationId)) === 'applied'
        ? { kind: 'found', operationId }
        : { kind: 'absent', isFinal: false };
    },
  };
}

/** The folder is made when it is sent to, so what counts is the nearest one that is there. */
async function findObstacle(directory: string): Promise<string | null> {
  const found = await stat(directory).catch(() => null);
  if (found === null && dirname(directory) !== directory) return findObstacle(dirname(directory));
  if (found?.isDirectory() !== true) return `${directory} is no folder`;
  return access(directory, constants.W_OK).then(
    () => null,
    (error: unknown) => `${directory} cannot be written (${reasonOf(error)})`,
  );
}

async function deliver(
  receiver: LocalReceiver,
  { operationId, bytes, signal }: PublishRequest,
  fault: LocalFault | null,
): Promise<PublishAnswer> {
  const evidence: JsonValue = { sha256: sha256(bytes) };
  const message = { operationId, bytes };
  switch (fault) {
    case 'lost-request':
      return silence(signal);
    case 'refusal':
      return { kind: 'refused', message: 'The receiver was told to refuse it.', evidence };
    case 'delayed-apply':
      await receiver.keep(message);
      return silence(signal);
    case 'duplicate-delivery':
      await receiver.receive(message);
      break;
    case 'lost-response':
    case 'invalid-acknowledgement':
    case null:
      break;
  }
  const isApplied = await receiver.receive(message);
  if (fault === 'lost-response') return silence(signal);
  if (!isApplied) return { kind: 'refused', message: 'The receiver sealed this operation.' };
  return fault === 'invalid-acknowledgement'
    ? { kind: 'acknowledged', operationId: `not-${operationId}`, evidence }
    : { kind: 'acknowledged', operationId, evidence };
}

/** Nothing comes, until nobody waits any more. */
function silence(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = (): void => reject(new Error('No answer came.'));
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
}
