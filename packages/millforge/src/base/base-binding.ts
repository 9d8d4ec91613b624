import { isDeepStrictEqual } from 'node:util';
import { BASE_IDENTITY } from '@millforge/pi-tools';
import { millforgeError } from '../millforge-error.ts';
import type { BaseComposition } from './base-composition.ts';
import type { BaseRequest } from './millforge-base.ts';

/**
 * Refuses a request that means something else than this base is composed of.
 *
 * @throws `millforge/base-binding` with `details.reason`; `millforge/usage` for a blank name.
 */
export function assertBaseBinding(request: BaseRequest, composition: BaseComposition): void {
  if (request.requestId?.trim() === '') {
    throw millforgeError(
      'millforge/usage',
      'The request id is blank; name the request, or leave it out.',
    );
  }
  for (const { reason, what, isRight } of CHECKS) {
    if (isRight(request, composition)) continue;
    throw millforgeError(
      'millforge/base-binding',
      `The request means another ${what} than this base is composed of; leave it out, or compose a base for it.`,
      { details: { reason } },
    );
  }
}

const HARNESS = { id: BASE_IDENTITY.harnessId, version: BASE_IDENTITY.harnessVersion };
const STAGE = {
  plane: 'execution',
  nodeId: BASE_IDENTITY.runnerId,
  stageKindId: BASE_IDENTITY.stageKindId,
};

/** In the order in which a request is looked at; the first that is wrong is told. */
const CHECKS: readonly {
  readonly reason: string;
  readonly what: string;
  readonly isRight: (request: BaseRequest, composition: BaseComposition) => boolean;
}[] = [
  {
    reason: 'harness_identity',
    what: 'harness',
    isRight: ({ harness }) => harness === undefined || isDeepStrictEqual(harness, HARNESS),
  },
  {
    reason: 'compiled_plan_hash',
    what: 'plan',
    isRight: ({ planSha256 }, { plan }) => planSha256 === undefined || planSha256 === plan.sha256,
  },
  {
    reason: 'stage_kind',
    what: 'stage',
    isRight: ({ stage }) => stage === undefined || isDeepStrictEqual(stage, STAGE),
  },
  {
    reason: 'model_profile',
    what: 'model profile',
    isRight: ({ profileId }, composition) =>
      profileId === undefined || profileId === composition.profileId,
  },
  {
    reason: 'capability_envelope',
    what: 'set of grants',
    isRight: ({ grants }, composition) =>
      grants === undefined ||
      (Array.isArray(grants) &&
        isDeepStrictEqual(new Set(grants), new Set(composition.grants)) &&
        grants.length === composition.grants.length),
  },
];
