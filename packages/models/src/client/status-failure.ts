import { type ExactJson, type ModelFailure, unreachable } from '@millforge/contracts';
import { cutText } from './cut-text.ts';
import { type FailedAttempt, failedAttempt } from './failed-attempt.ts';
import { isJsonObject } from './json-text.ts';

/** What is known about a refusal besides its status. */
export interface Refusal {
  readonly status: number;
  /** The body, when it is JSON. */
  readonly body: ExactJson | null;
  /** Media type of the body, or null. */
  readonly mediaType: string | null;
  /** The provider's name for the request, or null. */
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  readonly baseUrl: string;
  readonly model: string;
  /** Whether a key went with the request. */
  readonly keySent: boolean;
  /** Makes the provider's words fit to repeat; before they are cut, or half a secret would stay. */
  readonly clean: (text: string) => string;
}

/** Says what an error status means: by the status first, by the provider's code where that is finer. */
export function statusFailure(refusal: Refusal): FailedAttempt {
  const provider = providerError(refusal.body);
  const category = categoryOf(refusal.status, provider.code);
  const said =
    provider.message === null
      ? ''
      : `: "${cutText(refusal.clean(provider.message), MAX_QUOTE_CHARS)}"`;
  const page = refusal.mediaType === 'text/html' ? ' with a web page' : '';
  const id = refusal.requestId === null ? '' : ` (request ${refusal.requestId})`;
  const origin = new URL(refusal.baseUrl).origin;
  return failedAttempt(
    category,
    `The model server at ${origin} answered ${refusal.status}${page}${id}${said}; ${advice(category, refusal)}.`,
    {
      retryAfterMs: refusal.retryAfterMs,
      // An empty account also answers 429, and no wait fills it.
      ...(provider.code === 'insufficient_quota' ? { retryable: false } : {}),
    },
  );
}

function categoryOf(status: number, code: string | null): ModelFailure {
  switch (status) {
    case 401:
      return 'authentication';
    case 403:
      return 'authorization';
    case 408:
      return 'timeout';
    case 429:
      return 'rate_limit';
    case 501:
      return 'unsupported_capability';
    default:
      if (status > 501 || status === 500) return 'server_error';
      if (code?.includes('unsupported') === true) return 'unsupported_capability';
      return status === 400 || status === 409 || status === 422 ? 'invalid_request' : 'unknown';
  }
}

function advice(category: ModelFailure, refusal: Refusal): string {
  switch (category) {
    case 'authentication':
      return refusal.keySent
        ? 'check the API key'
        : 'no API key was sent, so name the environment variable that holds it';
    case 'authorization':
      return 'check what the API key may do';
    case 'rate_limit':
      return 'wait, or send less';
    case 'timeout':
    case 'server_error':
      return 'look at the log of the server, or try again later';
    case 'unsupported_capability':
    case 'invalid_request':
      return `check the profile of model "${refusal.model}" against what the server supports`;
    case 'connection':
    case 'malformed_response':
    case 'cancelled':
    case 'unknown':
      return refusal.status === 404
        ? `check that ${refusal.baseUrl} is the root of its API (often it ends in /v1) and that it serves "${refusal.model}"`
        : 'check base_url and the account';
    default:
      return unreachable(category);
  }
}

interface ProviderError {
  readonly message: string | null;
  readonly code: string | null;
}

/** Finds the sentence and the code in the shapes that servers use; never a whole body. */
function providerError(body: ExactJson | null): ProviderError {
  const outer = body ?? undefined;
  if (!isJsonObject(outer)) return { message: null, code: null };
  const inner = outer['error'];
  const fields = isJsonObject(inner) ? inner : outer;
  const texts = [fields['message'], inner, outer['detail'], detailMessages(outer['detail'])];
  const codes = [fields['code'], fields['type']];
  return { message: firstText(texts), code: firstText(codes) };
}

/** FastAPI lists what is wrong and repeats the input beside it; only what is wrong is taken. */
function detailMessages(detail: ExactJson | undefined): string | undefined {
  if (!Array.isArray(detail)) return undefined;
  const items: readonly ExactJson[] = detail;
  return items
    .map((item) => (isJsonObject(item) ? item['msg'] : undefined))
    .filter((message) => typeof message === 'string')
    .join('; ');
}

function firstText(values: readonly (ExactJson | undefined)[]): string | null {
  const found = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof found === 'string' ? found.trim() : null;
}

const MAX_QUOTE_CHARS = 240;
