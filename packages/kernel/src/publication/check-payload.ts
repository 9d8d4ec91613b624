import { kernelError } from '../kernel-error.ts';
import type { Scope } from '../scope.ts';
import { cut } from './ask-publisher.ts';
import { checkPublisher, type Flow } from './dispatch-publication.ts';
import { readPayloadBytes } from './payload-bytes.ts';
import type { PublicationAction, PublicationRequest } from './publication-intent.ts';
import type { Publisher } from './publisher.ts';

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
  // A host without types may return anything; only nothing at all is a yes.
  const problem: unknown = publisher.checkPayload({ bytes, mediaType: payload.media_type });
  if (problem === null || problem === undefined) return;
  const why = typeof problem === 'string' ? cut(parts.redactor.text(problem)) : 'it says no';
  throw kernelError(
    'kernel/payload-refused',
    `The publisher ${publisher.name} could never send ${payloadSha256.slice(0, 12)}…: ${why}.`,
    { publisher: publisher.name, target: publisher.target },
  );
}
