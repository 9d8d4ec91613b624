import { isDottedId } from '@millforge/contracts';
import { readBaseUrl } from './base-url.ts';

/** What a model reference names. */
export type ModelReference =
  | {
      readonly kind: 'profile';
      /** Id of a configured profile. */
      readonly profileId: string;
    }
  | {
      readonly kind: 'endpoint';
      /** Root of the API, in normal form. */
      readonly baseUrl: string;
      /** Model name as the server knows it. */
      readonly model: string;
    }
  | {
      readonly kind: 'scripted';
      /** Path of a model script, as written. */
      readonly file: string;
    }
  | {
      readonly kind: 'invalid';
      /** One sentence: what is wrong, what was expected. */
      readonly message: string;
    };

/**
 * Parses `URL#MODEL`, `scripted:FILE` or the id of a profile.
 *
 * Everything behind the first `#` is the model name, taken literally.
 */
export function parseModelReference(
  text: string,
  options: { readonly allowInsecureHttp?: boolean } = {},
): ModelReference {
  if (text.startsWith('scripted:')) {
    const file = text.slice('scripted:'.length);
    if (file.trim() !== '') return { kind: 'scripted', file };
    return invalid('"scripted:" needs the path of a model script behind it');
  }
  const hash = text.indexOf('#');
  if (hash >= 0) return parseEndpoint(text.slice(0, hash), text.slice(hash + 1), options);
  if (isDottedId(text)) return { kind: 'profile', profileId: text };
  if (text.includes('://') || text.includes('/')) {
    return invalid(
      'a URL needs the model name behind it, as in http://127.0.0.1:11434/v1#qwen3:8b',
    );
  }
  return invalid('expected a profile id, URL#MODEL or scripted:FILE');
}

function parseEndpoint(
  url: string,
  model: string,
  options: { readonly allowInsecureHttp?: boolean },
): ModelReference {
  if (!isModelName(model)) {
    return invalid('the model name behind "#" must be 1 to 256 characters without spaces');
  }
  const read = readBaseUrl(url, { allowInsecureHttp: options.allowInsecureHttp ?? false });
  if (!read.ok) return { kind: 'invalid', message: `Model reference refused: ${read.message}` };
  return { kind: 'endpoint', baseUrl: read.baseUrl, model };
}

/** Reports whether a text can name a model on a server. */
export function isModelName(text: string): boolean {
  return /^[^\s\p{Cc}]{1,256}$/u.test(text);
}

function invalid(reason: string): ModelReference {
  return { kind: 'invalid', message: `Model reference refused: ${reason}.` };
}
