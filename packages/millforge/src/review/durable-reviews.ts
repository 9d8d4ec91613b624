import { join } from 'node:path';
import type {
  ModelSetting,
  ResumeReviewOptions,
  ReviewEvent,
  ReviewHandle,
  ReviewOutcome,
  ReviewRequest,
} from '@millforge/cli';
import type { Clock, Ids, JsonValue, ModelClient } from '@millforge/contracts';
import type { GoalView } from '@millforge/kernel';
import {
  createReview,
  directoryTree,
  gitCommit,
  modelRole,
  type Review,
  type ReviewReport,
  type ReviewRole,
  type ReviewSource,
  readReview,
  renderMarkdown,
  renderSarif,
  type ReviewResult as StandingReview,
  scriptedRole,
  startReview,
} from '@millforge/kernel/review';
import type { DurableParts } from '../durable-runs.ts';
import { millforgeError } from '../millforge-error.ts';
import { assertReachable, modelDigest } from '../model-setting.ts';
import { assertWorkspace } from '../workspace.ts';
import { type ReviewInputs, readReviewInputs, toReviewInputs } from './review-inputs.ts';

/** What reviews stand on. */
export interface ReviewParts {
  /** Opens the trail, making it when it is missing. */
  readonly open: () => Promise<OpenTrail>;
  /** Source of fresh names. */
  readonly ids: Ids;
  /** Time. */
  readonly clock: Clock;
  /** Environment in which git is run and keys are looked up by name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Makes the client of a model. */
  readonly openModel: (setting: ModelSetting) => ModelClient;
}

type OpenTrail = Pick<DurableParts, 'kernel' | 'scope' | 'dataDir'>;

/** Looks the commit up, admits the review and starts it; one that is refused leaves nothing behind. */
export async function startDurableReview(
  parts: ReviewParts,
  request: ReviewRequest,
): Promise<ReviewHandle> {
  const { repository, commit, since, onEvent } = request;
  const { env } = parts;
  await assertWorkspace(repository);
  if (request.model !== null) assertReachable(request.model, env);
  const source = await sourceOf({ repository, commit, since: since ?? null }, env);
  const inputs: ReviewInputs = {
    repository,
    commit: textOf(source.identity['commit']),
    since: textOf(source.identity['since']),
    roles: request.roles ?? DEFAULT_ROLES,
    paths: request.paths ?? null,
    model: request.model,
    timeoutMs: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    signOff: request.signOff ?? false,
  };
  const reviewId = request.reviewId ?? parts.ids.newId('review');
  // Everything that can be refused is made before anything is written.
  const review = reviewOf(parts, { inputs, source, onEvent });
  return start(parts, { reviewId, inputs, review, trail: await parts.open() });
}

/** Goes on with a review from what the trail keeps of it; one that has ended gives its report again. */
export async function resumeDurableReview(
  parts: ReviewParts,
  reviewId: string,
  options: ResumeReviewOptions,
): Promise<ReviewHandle> {
  const trail = await parts.open();
  const standing = await readReview(trail.kernel, trail.scope, reviewId);
  const { goal } = standing;
  if (ENDED.has(goal.state)) {
    return { reviewId, result: Promise.resolve(outcomeOf(trail, standing)), stop() {} };
  }
  const inputs = readReviewInputs(reviewId, goal.inputs);
  const { onEvent, onModel, ...waiting } = options;
  if (inputs.model !== null) {
    assertReachable(inputs.model, parts.env);
    onModel?.(inputs.model);
  }
  // With whole hashes the repository is not looked at before its bytes are needed, and may be gone by then.
  const source = await sourceOf(inputs, parts.env);
  const review = reviewOf(parts, { inputs, source, onEvent });
  return start(parts, { ...waiting, reviewId, inputs, review, trail });
}

async function start(
  { clock }: ReviewParts,
  work: Pick<ResumeReviewOptions, 'onWaiting'> & {
    readonly reviewId: string;
    readonly inputs: ReviewInputs;
    readonly review: Review;
    readonly trail: OpenTrail;
  },
): Promise<ReviewHandle> {
  const { reviewId, inputs, review, trail, onWaiting } = work;
  const { kernel, scope } = trail;
  const run = await startReview(
    { kernel, scope, clock },
    {
      reviewId,
      review,
      inputs: toReviewInputs(inputs),
      ...(onWaiting === undefined
        ? {}
        : {
            onWaiting: (owner) =>
              onWaiting(`process ${owner.pid} on ${owner.host}, since ${owner.started_at}`),
          }),
    },
  );
  const result = run.done.then((standing) => outcomeOf(trail, standing));
  // Whoever only stops a review need not wait for it.
  result.catch(() => undefined);
  return { reviewId, result, stop: (options) => run.stop(options) };
}

async function sourceOf(
  { repository, commit, since }: Pick<ReviewInputs, 'repository' | 'commit' | 'since'>,
  env: ReviewParts['env'],
): Promise<ReviewSource> {
  if (commit === null) return directoryTree({ directory: repository });
  return gitCommit({ repository, commit, env, ...(since === null ? {} : { since }) });
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function reviewOf(
  parts: ReviewParts,
  work: {
    readonly inputs: ReviewInputs;
    readonly source: ReviewSource;
    readonly onEvent: ((event: ReviewEvent) => void) | undefined;
  },
): Review {
  const { roles, paths, model, timeoutMs, signOff } = work.inputs;
  const client = model === null ? null : parts.openModel(model);
  const roleOf = (role: string): ReviewRole =>
    model === null || client === null
      ? scriptedRole(role)
      : modelRole({
          role,
          model: client,
          modelIdentity: { model_sha256: modelDigest(model) },
          // Replies that were written beforehand are no model's.
          origin: model.kind === 'scripted' ? 'scripted' : 'model',
        });
  return createReview({
    source: work.source,
    roles: roles.map((role) => watched(roleOf(role), work.onEvent)),
    roleTimeoutMs: timeoutMs,
    signOff,
    ...(paths === null ? {} : { paths }),
  });
}

function watched(
  role: ReviewRole,
  onEvent: ((event: ReviewEvent) => void) | undefined,
): ReviewRole {
  if (onEvent === undefined) return role;
  return {
    ...role,
    async propose(context) {
      onEvent({ type: 'role-started', role: role.role });
      const answer = await role.propose(context);
      onEvent({ type: 'role-ended', role: role.role, proposed: answer.findings.length });
      return answer;
    },
  };
}

function outcomeOf({ dataDir }: OpenTrail, { goal, report }: StandingReview): ReviewOutcome {
  const { failure, interruption } = goal;
  return {
    reviewId: goal.goal_id,
    status: report === null ? statusOf(goal) : statusWith(report, goal),
    report,
    failureClass: failure?.code ?? interruption?.failure_class ?? null,
    message: failure?.message ?? interruption?.message ?? null,
    trailPath: join(dataDir, 'trail.db'),
    render(form) {
      if (report === null) {
        throw millforgeError('millforge/usage', 'The review has no report that could be written.');
      }
      return form === 'markdown'
        ? renderMarkdown(report)
        : `${JSON.stringify(renderSarif(report), null, 2)}\n`;
    },
  };
}

/** With a report the goal fails only where a person denied it, or the capture did not hold. */
function statusWith({ result }: ReviewReport, goal: GoalView): ReviewOutcome['status'] {
  if (goal.state === 'completed') return result;
  return goal.failure?.code === 'check-failed' ? 'rejected' : statusOf(goal);
}

function statusOf(goal: GoalView): 'failed' | 'held' | 'cancelled' | 'interrupted' {
  if (goal.state === 'held' || goal.state === 'cancelled') return goal.state;
  if (goal.state === 'failed' || goal.interruption?.reason === 'unavailable') return 'failed';
  return 'interrupted';
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
const DEFAULT_ROLES = ['correctness', 'security', 'tests'];
const DEFAULT_TIMEOUT_MS = 30 * 60_000;
