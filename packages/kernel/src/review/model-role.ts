import {
  type ActResult,
  type Failure,
  type JsonValue,
  type ModelClient,
  type ModelMessage,
  operationFailed,
  operationUnavailable,
  sha256,
} from '@millforge/contracts';
import { ANSWER_SCHEMA, askAgain, filesPrompt, LOOK_FOR, systemPrompt } from './model-prompt.ts';
import { readAnswer } from './read-answer.ts';
import { reviewError } from './review-error.ts';
import type { FindingOrigin } from './review-finding.ts';
import type { ReviewRole, RoleAnswer, RoleContext, RoleCoverage } from './review-role.ts';
import {
  coverageOf,
  dealFiles,
  type ShowLimits,
  type ShownBatch,
  type ShownExtent,
} from './show-files.ts';

/** How a model is asked for findings. */
export interface ModelRoleOptions {
  /** What it looks for: `correctness`, `security`, `tests`, or a word of the host. */
  readonly role: string;
  /** The model. */
  readonly model: ModelClient;
  /** What the model is, so that a resumed review is not gone on with by another: a profile's digest, a name. */
  readonly modelIdentity: JsonValue;
  /** Completes "Look only for …"; needed for a word of the host. */
  readonly lookFor?: string;
  /** Who counts as proposing; `scripted` for a model whose replies were written beforehand. Default `model`. */
  readonly origin?: FindingOrigin;
  /** Most bytes of files in one request. Default 32 KiB. */
  readonly batchBytes?: number;
  /** Most bytes of one file that are shown, over all requests; the rest is a gap. Default 256 KiB. */
  readonly fileBytes?: number;
}

/**
 * Asks a model, file by file, without tools: it sees what it is shown and can do nothing.
 *
 * Every request is an operation, so that a resumed review repeats none that was answered. An answer that cannot be
 * read is asked for twice more; after that its files are gaps. A model that cannot be reached suspends the review.
 *
 * @throws `review/options-invalid` for a word of the host without `lookFor`.
 */
export function modelRole(options: ModelRoleOptions): ReviewRole {
  const { role, origin = 'model', batchBytes = 32_768, fileBytes = 262_144 } = options;
  const lookFor = options.lookFor ?? LOOK_FOR[role];
  if (lookFor === undefined) {
    throw reviewError(
      'review/options-invalid',
      `What the role ${role.slice(0, 64)} looks for is not known; say it with lookFor.`,
    );
  }
  const system = systemPrompt(role, lookFor);
  return {
    role,
    origin,
    version: '1',
    parameters: {
      model: options.modelIdentity,
      instructions_sha256: sha256(system),
      batch_bytes: batchBytes,
      file_bytes: fileBytes,
    },
    propose: (context) =>
      propose(context, { system, model: options.model, limits: { batchBytes, fileBytes } }),
  };
}

interface Asking {
  readonly system: string;
  readonly model: ModelClient;
  readonly limits: ShowLimits;
}

async function propose(context: RoleContext, asking: Asking): Promise<RoleAnswer> {
  const extents = new Map<string, ShownExtent>();
  const missed = new Map<string, string>();
  const findings: JsonValue[] = [];
  let step = 0;
  let failure: Failure | null = null;
  for await (const batch of dealFiles(context.tree, asking.limits, extents)) {
    const paths = batch.parts.map(({ path }) => path);
    if (failure !== null) {
      for (const path of paths) missed.set(path, 'not-asked');
      continue;
    }
    const answered = await askAbout(batch, { context, asking, step: step + 1 });
    step = answered.step;
    if (answered.kind === 'answer') {
      findings.push(...answered.findings);
      for (const path of answered.skipped) missed.set(path, 'skipped');
    } else {
      for (const path of paths) missed.set(path, answered.reason);
      failure = answered.failure;
    }
  }
  const coverage = context.tree.files.map(({ path }): RoleCoverage => {
    const reason = missed.get(path);
    return reason === undefined
      ? coverageOf(path, extents.get(path))
      : { state: 'none', path, reason };
  });
  return { findings, coverage, failure };
}

/** What came of one request and its repetitions; `step` is the last one taken. */
type Answered = { readonly step: number } & (
  | {
      readonly kind: 'answer';
      readonly findings: readonly JsonValue[];
      readonly skipped: readonly string[];
    }
  | {
      readonly kind: 'none';
      readonly reason: string;
      /** Why nothing more is asked at all; null when the next request may go better. */
      readonly failure: Failure | null;
    }
);

async function askAbout(
  batch: ShownBatch,
  parts: { readonly context: RoleContext; readonly asking: Asking; readonly step: number },
): Promise<Answered> {
  const { context, asking } = parts;
  let { step } = parts;
  const messages: ModelMessage[] = [
    { role: 'system', content: asking.system },
    { role: 'user', content: filesPrompt(batch) },
  ];
  let added: readonly ModelMessage[] = messages;
  for (let tries = 1; ; tries += 1, step += 1) {
    const outcome = await context.perform<ModelAnswer>(
      {
        key: `model/${step}`,
        step,
        kind: 'model',
        effect: 'none',
        repeat: 'safe',
        metered: true,
        input: { messages: added.map(messageJson) },
        ...(tries === 1 ? {} : { extends: `model/${step - 1}` }),
        describe: describeRequest(batch, tries),
      },
      ({ signal, idempotencyKey }) => complete(asking.model, messages, { signal, idempotencyKey }),
    );
    if (outcome.kind === 'failed') {
      return { step, kind: 'none', reason: outcome.error.code, failure: null };
    }
    if (outcome.kind === 'refused') {
      const { code, message } = outcome.reason;
      return { step, kind: 'none', reason: code, failure: { code, message } };
    }
    const { content, finish_reason } = outcome.value;
    const read = readAnswer(content);
    if (read.ok) return { step, kind: 'answer', ...read };
    if (tries === MOST_TRIES) {
      const reason = finish_reason === 'length' ? 'answer-cut' : 'unreadable-answer';
      return { step, kind: 'none', reason, failure: null };
    }
    added = [{ role: 'assistant', content }, askAgain(read.problem)];
    messages.push(...added);
  }
}

/** What the log keeps of an answer. */
type ModelAnswer = {
  readonly content: string | null;
  readonly finish_reason: string;
};

async function complete(
  model: ModelClient,
  messages: readonly ModelMessage[],
  options: { readonly signal: AbortSignal; readonly idempotencyKey: string },
): Promise<ActResult<ModelAnswer>> {
  const isStructured = model.capabilities?.structured_output === 'supported';
  const completion = await model.complete(
    {
      messages,
      tools: [],
      ...(isStructured
        ? { options: { structured_output: { name: 'review', schema: ANSWER_SCHEMA } } }
        : {}),
    },
    options,
  );
  if (completion.kind === 'failed') {
    const failure = { code: completion.category, message: completion.message };
    throw HOPELESS.has(completion.category)
      ? operationFailed(failure)
      : operationUnavailable(failure);
  }
  const { content, finish_reason, usage } = completion.reply;
  if ((content?.length ?? 0) > MOST_ANSWER) {
    throw operationFailed({
      code: 'answer-too-large',
      message: `The model answered with more than ${MOST_ANSWER} characters.`,
    });
  }
  const value = { content, finish_reason };
  return usage === null ? { value } : { value, usage };
}

function messageJson({ role, content }: ModelMessage): JsonValue {
  return { role, content };
}

function describeRequest({ parts }: ShownBatch, tries: number): string {
  const [first] = parts;
  const more = parts.length > 1 ? ` and ${parts.length - 1} more` : '';
  return `ask about ${first?.path.slice(0, 200) ?? 'nothing'}${more}${tries === 1 ? '' : ', again'}`;
}

/** Failures that no later try can mend: the request itself is wrong. Any other may pass, so the review waits. */
const HOPELESS = new Set(['invalid_request', 'unsupported_capability']);
const MOST_TRIES = 3;
// Six bytes of canonical JSON for a character at worst, in an outcome of at most 1 MiB.
const MOST_ANSWER = 160_000;
