import type { ArtifactStore, Clock, JsonObject } from '@millforge/contracts';
import type { Adapter } from '../adapter.ts';
import type { GoalContract } from '../contract/goal-contract.ts';
import {
  captureAdapter,
  reportAdapter,
  roleAdapter,
  signOffAdapter,
  validateAdapter,
} from './review-adapters.ts';
import { checkOptions, type ReviewOptions, scopeJson, scopeOf } from './review-options.ts';
import { bindingsOf, SIGN_OFF, tasksOf, VALIDATE } from './review-tasks.ts';

/** A review as a goal of the kernel: what is admitted, and the code that performs it. */
export interface Review {
  /**
   * The contract: capture, one task per role, validation, report.
   *
   * `inputs` are kept beside the request, for a host that has to make the same review again to go on with it.
   */
  contract(reviewId: string, more?: { readonly inputs?: JsonObject }): GoalContract;
  /** The adapters of the contract, over the artifacts of the scope in which it runs. */
  adapters(parts: { readonly artifacts: ArtifactStore; readonly clock: Clock }): readonly Adapter[];
}

/**
 * Makes a review with fixed steps: capture the source once, let every role propose, judge each finding against the
 * captured bytes, report. What cannot be shown is a gap of the report, never a success.
 *
 * @throws `review/options-invalid`.
 */
export function createReview(options: ReviewOptions): Review {
  checkOptions(options);
  const { source, roles, roleTimeoutMs = 1_800_000, signOff = false } = options;
  const scope = scopeOf(options);
  const bindings = bindingsOf(source, scope, roles);
  return {
    contract: (reviewId, { inputs = {} } = {}) => ({
      kind: 'goal_contract',
      schema_version: '1.0',
      goal_id: reviewId,
      objective: `Review ${nameOf(source.identity)}, and show which findings quote it truly.`,
      inputs: {
        ...inputs,
        review: {
          source: source.identity,
          scope: scopeJson(scope),
          roles: roles.map(({ role, origin }) => ({ role, origin })),
        },
      },
      tasks: tasksOf(bindings, { roleTimeoutMs, signOff }),
      required_checks: signOff ? [VALIDATE, SIGN_OFF] : [VALIDATE],
      labels: { kind: 'review' },
    }),
    adapters: ({ artifacts, clock }) => [
      captureAdapter(bindings.capture, { source, scope, artifacts }),
      ...roles.map((role, index) =>
        roleAdapter(bindings.roles[index] ?? bindings.capture, { role, artifacts, clock }),
      ),
      validateAdapter(bindings.validate, artifacts),
      reportAdapter(bindings.report, artifacts),
      signOffAdapter(bindings.signOff),
    ],
  };
}

/** The source in a few words, for lists of goals. */
function nameOf({ commit }: JsonObject): string {
  return typeof commit === 'string' ? `the commit ${commit.slice(0, 12)}` : 'a tree of files';
}
