import type { JsonFields } from './dialect.ts';
import { isJsonObject } from './json-text.ts';

/** The status that an error would have had, when it is reported in the middle of a good answer. */
export function errorStatus(body: JsonFields): number {
  const error = body['error'];
  if (!isJsonObject(error)) return 500;
  const { code, type } = error;
  if (typeof code === 'number' && code >= 400 && code <= 599) return code;
  return typeof type === 'string' ? (STATUS_OF_TYPE.get(type) ?? 500) : 500;
}

/** https://docs.anthropic.com/en/api/errors, and the names that OpenAI has for the same. */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['api_error', 500],
  ['server_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);
