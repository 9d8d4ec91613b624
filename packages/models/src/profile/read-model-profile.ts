import {
  deepFreeze,
  isDottedId,
  type ModelCapabilities,
  SCHEMA_DIALECTS,
} from '@millforge/contracts';
import {
  type Check,
  checkDocument,
  closedObject,
  complain,
  type DocumentProblem,
  flag,
  integerFrom,
  jsonValue,
  listOf,
  mapOf,
  numberFrom,
  oneOf,
  type Place,
  textWhere,
} from '../document/check-document.ts';
import { isPlainObject } from '../document/plain-object.ts';
import { readBaseUrl } from './base-url.ts';
import type { ModelProfile, ModelSampling } from './model-profile.ts';
import { isModelName } from './model-reference.ts';

/** A checked profile, frozen, or every mistake in the document. */
export type ModelProfileResult =
  | {
      readonly ok: true;
      /** The profile; `base_url` is in normal form. */
      readonly profile: ModelProfile;
    }
  | {
      readonly ok: false;
      /** At least one mistake. */
      readonly problems: readonly DocumentProblem[];
    };

/** Reads a model profile from plain JSON; unknown fields and secrets in headers are refused. */
export function readModelProfile(value: unknown): ModelProfileResult {
  const problems: DocumentProblem[] = [];
  if (!isModelProfile(value, problems)) return { ok: false, problems };
  const url = readBaseUrl(value.base_url, {
    allowInsecureHttp: value.allow_insecure_http ?? false,
  });
  if (!url.ok) return { ok: false, problems: [{ path: '/base_url', message: url.message }] };
  const profile = { ...structuredClone(value), base_url: url.baseUrl };
  return { ok: true, profile: deepFreeze(profile) };
}

function isModelProfile(value: unknown, problems: DocumentProblem[]): value is ModelProfile {
  problems.push(...checkDocument(value, checkProfile), ...keyWithoutScheme(value));
  return problems.length === 0;
}

const checkAuth: Check = (value, place) => {
  const scheme = isPlainObject(value) ? value['scheme'] : undefined;
  const header = {
    header: textWhere('the name of a header that the client does not set', mayCarryKey),
  };
  const required = { scheme: oneOf('none', 'bearer', 'header') };
  closedObject('"auth"', {
    required: scheme === 'header' ? { ...required, ...header } : required,
  })(value, place);
};

const checkSampling = closedObject('"sampling"', {
  required: {},
  optional: {
    temperature: numberFrom(0, 2),
    top_p: numberFrom(0, 1),
    presence_penalty: numberFrom(-2, 2),
    frequency_penalty: numberFrom(-2, 2),
    seed: integerFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    stop: listOf(
      textWhere('a text that is not empty', (text) => text !== ''),
      { min: 1, max: 16 },
    ),
  } satisfies { readonly [Name in keyof ModelSampling]-?: Check },
});

const support = oneOf('supported', 'unsupported', 'unknown');

const checkCapabilities = closedObject('"capabilities"', {
  required: {},
  optional: {
    tool_calls: support,
    tool_choice: support,
    parallel_tool_calls: support,
    max_output_tokens: support,
    structured_output: support,
    images: support,
  } satisfies { readonly [Name in keyof ModelCapabilities]-?: Check },
});

const PROFILE_FIELDS = {
  profile_id: textWhere('a dotted id such as local.qwen3', isDottedId),
  base_url: textWhere('a URL such as http://127.0.0.1:11434/v1', (text) => text !== ''),
  model: textWhere('a model name of 1 to 256 characters without spaces', isModelName),
  auth: checkAuth,
  api_key_env: textWhere('the name of an environment variable', (text) =>
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(text),
  ),
  credential: textWhere('the name of a stored credential, 1 to 128 of A-Z a-z 0-9 . _ -', (text) =>
    /^[A-Za-z0-9._-]{1,128}$/.test(text),
  ),
  proxy: textWhere(
    'the http or https URL of a proxy (SOCKS cannot be used), without user name and query, or environment for the one in https_proxy or http_proxy, which may hold them',
    isProxy,
  ),
  allow_insecure_http: flag,
  dialect: oneOf('openai-chat', 'anthropic-messages'),
  tool_schemas: oneOf(...SCHEMA_DIALECTS),
  stream: flag,
  idle_timeout_seconds: numberFrom(0.001, 86_400),
  capabilities: checkCapabilities,
  timeout_seconds: numberFrom(0.001, 86_400),
  max_retries: integerFrom(0, 10),
  max_output_tokens: integerFrom(1, 10_000_000),
  max_output_tokens_field: oneOf('max_tokens', 'max_completion_tokens'),
  reasoning_replay_field: oneOf('reasoning_content', 'reasoning', 'thinking'),
  sampling: checkSampling,
  parallel_tool_calls: flag,
  headers: mapOf(
    textWhere('a header value of printable ASCII, at most 1,024 characters', (text) =>
      /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/.test(text),
    ),
    wrongHeader,
  ),
  extra_body: mapOf(jsonValue, (name) =>
    OWN_BODY_FIELDS.has(name) ? 'The client or another field of the profile sets this.' : null,
  ),
} satisfies { readonly [Name in keyof ModelProfile]-?: Check };

const { profile_id, base_url, model, ...optionalFields } = PROFILE_FIELDS;

const checkProfileFields = closedObject('A model profile', {
  required: { profile_id, base_url, model },
  optional: optionalFields,
});

const checkProfile: Check = (value, place) => {
  checkProfileFields(value, place);
  if (!isPlainObject(value)) return;
  const isMessages = value['dialect'] === 'anthropic-messages';
  if (isMessages) checkMessagesDialect(value, place);
  const { reasoning_replay_field: replayed, tool_schemas: told = 'anthropic' } = value;
  if (isMessages && told !== 'anthropic') {
    complain(
      { ...place, path: '/tool_schemas' },
      'The Messages API is told in the words of "anthropic".',
    );
  }
  if (replayed !== undefined && (replayed === 'thinking') !== isMessages) {
    complain(
      { ...place, path: '/reasoning_replay_field' },
      isMessages
        ? 'The Messages API takes reasoning back as "thinking".'
        : 'Chat Completions take reasoning back as "reasoning_content" or "reasoning".',
    );
  }
  if (value['idle_timeout_seconds'] !== undefined && value['stream'] !== true) {
    complain(
      { ...place, path: '/idle_timeout_seconds' },
      'Only a streamed reply can be silent; set "stream": true.',
    );
  }
  if (!isPlainObject(value['headers'])) return;
  const names = Object.keys(value['headers']).map((name) => name.toLowerCase());
  if (new Set(names).size < names.length) {
    complain({ ...place, path: '/headers' }, 'A header is given twice under two spellings.');
  }
};

/** Sampling values that one dialect knows and the other does not are refused, not dropped. */
function checkMessagesDialect(profile: { readonly [name: string]: unknown }, place: Place): void {
  const { sampling } = profile;
  const unknown = ['presence_penalty', 'frequency_penalty', 'seed'].filter(
    (name) => isPlainObject(sampling) && sampling[name] !== undefined,
  );
  for (const name of unknown) {
    complain({ ...place, path: `/sampling/${name}` }, 'The Messages API has no such value.');
  }
  if (profile['max_output_tokens_field'] !== undefined) {
    complain(
      { ...place, path: '/max_output_tokens_field' },
      'The Messages API has one field for it, max_tokens.',
    );
  }
}

function keyWithoutScheme(value: unknown): readonly DocumentProblem[] {
  if (!isPlainObject(value)) return [];
  const auth = value['auth'];
  const sendsKey = isPlainObject(auth) && auth['scheme'] !== 'none';
  return ['api_key_env', 'credential']
    .filter((name) => Object.hasOwn(value, name) && !sendsKey)
    .map((name) => ({
      path: `/${name}`,
      message: 'A key is named but never sent; set "auth" to {"scheme":"bearer"}.',
    }));
}

function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name);
}

function mayCarryKey(name: string): boolean {
  return isHeaderName(name) && !OWN_HEADERS.has(name.toLowerCase());
}

function wrongHeader(name: string): string | null {
  if (!isHeaderName(name)) return 'This is not the name of a header.';
  if (OWN_HEADERS.has(name.toLowerCase())) return 'The client sets this header itself.';
  if (/key|token|secret|password|credential|cookie|auth/i.test(name)) {
    return 'A profile holds no secrets; send a key with "auth": {"scheme":"header"}.';
  }
  return null;
}

function isProxy(text: string): boolean {
  if (text === 'environment') return true;
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  return isHttp && url.username === '' && url.password === '' && url.search + url.hash === '';
}

const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const OWN_BODY_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'tools',
  'functions',
  'function_call',
  'n',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'parallel_tool_calls',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'stop',
  'stop_sequences',
  'system',
  '__proto__',
]);
