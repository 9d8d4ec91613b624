import type { Kernel } from '../kernel.ts';
import { kernelError } from '../kernel-error.ts';
import { internalsOf } from '../kernel-internals.ts';
import type { Scope } from '../scope.ts';
import { checkApproval, checkReason } from './approve-publication.ts';
import { checkPayload } from './check-payload.ts';
import { createPublicationStore } from './create-publication-store.ts';
import { dispatchPublication, type Flow } from './dispatch-publication.ts';
import { readRequest } from './publication-intent.ts';
import type { PublicationView } from './publication-view.ts';
import type { PublicationName, Publications } from './publications.ts';
import { reconcilePublication } from './reconcile-publication.ts';

/** Gives the publications of an open kernel; they end with it. */
export function createPublications(kernel: Kernel): Publications {
  const { parts, file, permit, enter } = internalsOf(kernel);
  const { clock, owner, unsettled } = parts;
  const store = createPublicationStore({ db: file().db, clock, isAlive: file().isAlive });
  const here = { ownerId: owner.id, isActing: (name: string) => unsettled.has(name) };
  const flow: Flow = { parts, store, here };

  const view = ({ tenant }: Scope, name: PublicationName): Promise<PublicationView> =>
    store.read(tenant, name, here);

  /** Closing the kernel tells a call in flight to end, and waits for what can be recorded of it. */
  const untilClosed = async (act: (closing: AbortSignal) => Promise<void>): Promise<void> => {
    const closing = new AbortController();
    const done = act(closing.signal);
    enter(() => closing.abort(), done);
    await done;
  };

  return {
    async intend(scope, goalId, request) {
      await permit(scope, 'goal.admit', goalId);
      const read = readRequest(request, parts.redactor);
      if (request.checkedBy !== undefined) {
        await checkPayload(flow, { scope, goalId, request: read }, request.checkedBy);
      }
      return view(scope, await store.intend(scope, goalId, read));
    },
    async approve(scope, name, approval) {
      await permit(scope, 'publication.approve', name.goalId);
      checkApproval(approval);
      await store.approve(scope, name, approval);
      return view(scope, name);
    },
    async revoke(scope, name, revocation) {
      await permit(scope, 'publication.approve', name.goalId);
      checkReason(revocation.reason);
      await store.revoke(scope, name, revocation);
      return view(scope, name);
    },
    async dispatch(scope, name, options) {
      await permit(scope, 'publication.dispatch', name.goalId);
      await untilClosed((closing) => dispatchPublication(flow, { scope, name, closing }, options));
      return view(scope, name);
    },
    async reconcile(scope, name, options) {
      await permit(scope, 'publication.dispatch', name.goalId);
      await untilClosed((closing) => reconcilePublication(flow, { scope, name, closing }, options));
      return view(scope, name);
    },
    async attest(scope, name, attestation) {
      await permit(scope, 'goal.decide', name.goalId);
      checkReason(attestation.reason);
      if (attestation.outcome !== 'accepted' && attestation.outcome !== 'rejected') {
        throw kernelError(
          'kernel/intent-invalid',
          'A person attests that it was accepted or rejected; expected one of these words.',
        );
      }
      await store.attest(scope, name, { ...attestation, here });
      return view(scope, name);
    },
    async read(scope, name) {
      await permit(scope, 'goal.read', name.goalId);
      return view(scope, name);
    },
    async list(scope, goalId) {
      await permit(scope, 'goal.read', goalId);
      return store.list(scope.tenant, goalId, here);
    },
  };
}
