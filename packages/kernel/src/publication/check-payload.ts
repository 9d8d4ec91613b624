import { kernelError } from '../kernel-error.ts';
import type { Scope } from '../scope.ts';
import { cut, reasonOf } from './ask-publisher.ts';
import { checkPublisher, type Flow } from './dispatch-publication.ts';
import { readPayloadBytes } from './payload-bytes.ts';
import type { PublicationAction, PublicationRequest } from './publication-intent.ts';
import type { PayloadToCheck, Publisher } from './publisher.ts';

/** Has the publisher look at what nobody has approved yet: a person should not approve what cannot be sent. */
export async function checkPayload(
  { parts, store }: Pick<Flow, 'parts' | 'store'>,
  {
    scope: { tenant },
    goalId,
    request: { action, payloadSha256 },
  }: {
    readonly scope: Scope;
    readonly goalId: string;
    readonly request: PublicationRequest & { readonly action: PublicationAction };
  },
  publisher: Publisher,
): Promise<void> {
  checkPublisher({ action }, publisher);
  if (publisher.checkPayload === undefined) return;
  const payload = await store.findPayload(tenant, goalId, payloadSha256);
  const bytes = await readPayloadBytes({ store, artifacts: parts.artifacts }, { tenant, payload });
  const why = findProblem(publisher, { bytes, mediaType: payload.media_type });
  if (why === null) return;
  throw kernelError(
    'kernel/payload-refused',
    `The publisher ${publisher.name} could never send ${payloadSha256.slice(0, 12)}…: ${cut(parts.redactor.text(why))}.`,
    { publisher: publisher.name, target: publisher.target },
  );
}

/** Only nothing at all is a yes: a host without types may return anything, and whoever fails has not looked. */
function findProblem(publisher: Publisher, payload: PayloadToCheck): string | null {
  let answer: unknown;
  try {
    answer = publisher.checkPayload?.(payload);
  } catch (error) {
    return `looking at it failed (${reasonOf(error)})`;
  }
  if (answer === null || answer === undefined) return null;
  if (answer instanceof Promise) {
    // What it comes to is nobody's; it must not end the process.
    answer.catch(() => undefined);
    return 'it answers later, and has to answer at once';
  }
  return typeof answer === 'string' ? answer : 'it says no';
}
