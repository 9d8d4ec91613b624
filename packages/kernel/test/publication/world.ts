import { join } from 'node:path';
import type { Kernel, OpenKernelOptions } from '@millforge/kernel';
import {
  createPublications,
  type DispatchOptions,
  type PublicationName,
  type Publications,
  type PublicationView,
  type Publisher,
} from '@millforge/kernel/publication';
import { open, scope, temporaryDirectory } from '../fixture.ts';
import { complete, request } from './completed-goal.ts';

export { complete, OUTPUT, OUTPUT_SHA256, request } from './completed-goal.ts';

/** A publisher that does what a test says. */
export function publisher(more: Partial<Publisher> = {}): Publisher & { readonly sent: string[] } {
  const sent: string[] = [];
  const { publish } = more;
  return {
    name: 'test',
    target: 'somewhere',
    settleMs: null,
    inspect: async () => ({ kind: 'unknown' }),
    ...more,
    sent,
    async publish(asked) {
      sent.push(asked.operationId);
      return publish === undefined
        ? { kind: 'acknowledged', operationId: asked.operationId }
        : await publish(asked);
    },
  };
}

/** A kernel with one completed goal. */
export interface World {
  readonly directory: string;
  readonly kernel: Kernel;
  readonly publications: Publications;
}

/** Opens a kernel whose goal `goal` is completed. */
export async function world(options: Partial<OpenKernelOptions> = {}): Promise<World> {
  const directory = join(temporaryDirectory(), 'data');
  const kernel = await open(directory, options);
  await complete(kernel, 'goal');
  return { directory, kernel, publications: createPublications(kernel) };
}

/** Names the one publication of the goal `goal`. */
export const ONE: PublicationName = { goalId: 'goal', publicationId: 'publication-1' };

/** Intends and approves it. */
export async function approved(
  publications: Publications,
  { validForMs = 60_000, asked = request() } = {},
): Promise<PublicationView> {
  const { intent_sha256, publication_id, goal_id } = await publications.intend(
    scope,
    'goal',
    asked,
  );
  return publications.approve(
    scope,
    { goalId: goal_id, publicationId: publication_id },
    { intentSha256: intent_sha256, validForMs, reason: 'I read it.' },
  );
}

/** Sends through a publisher, with an approver who still may. */
export function through(by: Publisher, more: Partial<DispatchOptions> = {}): DispatchOptions {
  return { publisher: by, confirmApprover: () => true, ...more };
}
