import {
  type Clock,
  MillforgeError,
  type ModelClient,
  type ModelCompletion,
  type Redactor,
} from '@millforge/contracts';
import { anthropicMessagesDialect } from '../anthropic-messages/anthropic-messages-dialect.ts';
import type { ModelsErrorCode } from '../error-codes.ts';
import { openAiChatDialect } from '../openai-chat/openai-chat-dialect.ts';
import { modelCapabilities } from '../profile/model-capabilities.ts';
import type { ModelProfile } from '../profile/model-profile.ts';
import { readModelProfile } from '../profile/read-model-profile.ts';
import { cutText } from './cut-text.ts';
import { findUndeclared } from './find-undeclared.ts';
import type { ModelFetch } from './model-fetch.ts';
import { readKey } from './read-key.ts';
import { createRedaction, type Redact } from './redaction.ts';
import { requestHeaders } from './request-headers.ts';
import { type Exchange, sendWithRetries } from './send-with-retries.ts';
import { tellDeltas } from './tell-deltas.ts';
import { startTimeLimit, type TimeLimit } from './time-limit.ts';

/** What a client needs from its host. */
export interface ModelClientOptions {
  /** The model and how to reach it. */
  readonly profile: ModelProfile;
  /** Sends requests, such as the global `fetch`, or one that goes through a proxy. */
  readonly fetch: ModelFetch;
  /** Measures time-outs and waits. */
  readonly clock: Clock;
  /** Jitter of retries, 0 to below 1, such as `Math.random`; without it there is none. */
  readonly random?: () => number;
  /** Gives the key; asked once per exchange, and only if the profile sends keys. */
  readonly apiKey?: () => string | Promise<string>;
  /** Redacts error texts further, beyond the key and the usual shapes of secrets. */
  readonly redactor?: Redactor;
}

/**
 * Makes a client of one server that speaks Chat Completions or the Messages API, whole or streamed.
 *
 * It holds nothing that needs closing. Failures of the server are answers, never exceptions; they
 * repeat neither the key nor passages of the conversation.
 *
 * @throws `models/invalid-profile` at once for a profile that {@link readModelProfile} refuses.
 */
export function createModelClient(options: ModelClientOptions): ModelClient {
  const profile = checkedProfile(options.profile);
  const dialect =
    profile.dialect === 'anthropic-messages' ? anthropicMessagesDialect : openAiChatDialect;
  const encode = dialect.createEncoder(profile);
  const capabilities = modelCapabilities(profile);
  const timeoutMs = (profile.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  const idleMs = (profile.idle_timeout_seconds ?? DEFAULT_IDLE_SECONDS) * 1000;
  const policy = {
    maxRetries: profile.max_retries ?? DEFAULT_MAX_RETRIES,
    random: options.random ?? (() => 1),
    delay: (ms: number, signal: AbortSignal) => options.clock.delay(ms, signal),
  };
  return {
    capabilities,
    async complete(request, call) {
      const undeclared = findUndeclared(request, capabilities);
      if (undeclared !== null) return unsupported(profile, undeclared);
      const told = tellDeltas(call.onDelta);
      const limit = startTimeLimit({ clock: options.clock, signal: call.signal, timeoutMs });
      try {
        if (limit.stopped() !== null) return stopped(limit, profile, false);
        const key = await readKey(options.apiKey, profile, limit);
        if (key.kind === 'stopped') return stopped(limit, profile, false);
        if (key.kind === 'unusable') return unusableKey(key.message);
        const redact = createRedaction(key.key, options.redactor);
        const { idempotencyKey } = call;
        const outgoing = {
          dialect,
          baseUrl: profile.base_url,
          model: profile.model,
          headers: requestHeaders(profile, {
            key: key.key,
            idempotencyKey,
            dialect: dialect.headers,
          }),
          body: encode(request),
          conversation: request.messages,
          keySent: key.key !== null,
          continuesReasoning: profile.reasoning_replay_field !== undefined,
          fetch: options.fetch,
          redact,
          clock: options.clock,
          stream: profile.stream === true ? { idleMs, onDelta: told.tell } : null,
        };
        const exchange = await sendWithRetries(outgoing, policy, limit);
        told.rethrow();
        if (exchange.kind === 'stopped') return stopped(limit, profile, exchange.sent);
        return exchange.kind === 'reply'
          ? { kind: 'reply', reply: exchange.reply, attempts: exchange.attempts }
          : failed(exchange, redact);
      } finally {
        limit.release();
      }
    },
  };
}

function checkedProfile(profile: ModelProfile): ModelProfile {
  const read = readModelProfile(profile);
  if (read.ok) return read.profile;
  const code: ModelsErrorCode = 'models/invalid-profile';
  const problems = read.problems.map(({ path, message }) => ({ path, message }));
  const first = problems[0];
  throw new MillforgeError(
    code,
    `The model profile is wrong at ${first?.path ?? '/'}: ${first?.message ?? ''}`,
    { details: { problems } },
  );
}

function stopped(limit: TimeLimit, profile: ModelProfile, sent: boolean): ModelCompletion {
  if (limit.stopped() === 'cancelled') {
    const message = 'The model call was cancelled.';
    return { kind: 'failed', category: 'cancelled', message, retryable: false, sent };
  }
  const seconds = profile.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS;
  return {
    kind: 'failed',
    category: 'timeout',
    message: `The model server at ${new URL(profile.base_url).origin} did not finish within ${seconds} s; raise timeout_seconds, or use a faster model.`,
    retryable: true,
    sent,
  };
}

function unsupported(profile: ModelProfile, what: string): ModelCompletion {
  return {
    kind: 'failed',
    category: 'unsupported_capability',
    message: `Profile "${profile.profile_id}" does not declare that its model takes ${what}; nothing was sent. Declare it under "capabilities" when the server takes it.`,
    retryable: false,
    sent: false,
  };
}

function unusableKey(message: string): ModelCompletion {
  return { kind: 'failed', category: 'authentication', message, retryable: false, sent: false };
}

function failed(exchange: Exchange & { readonly kind: 'failed' }, redact: Redact): ModelCompletion {
  const { category, message, retryable } = exchange.last;
  const tries = exchange.attempts > 1 ? ` (after ${exchange.attempts} requests)` : '';
  const clean = redact(`${message.replace(/\.$/, '')}${tries}.`);
  return {
    kind: 'failed',
    category,
    message: cutText(clean, MAX_MESSAGE_CHARS),
    retryable,
    sent: exchange.sent,
  };
}

const DEFAULT_TIMEOUT_SECONDS = 300;
const DEFAULT_IDLE_SECONDS = 60;
const DEFAULT_MAX_RETRIES = 2;
const MAX_MESSAGE_CHARS = 512;
