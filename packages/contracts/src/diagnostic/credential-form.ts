import { REDACTED } from './secret-span.ts';

/** Reports whether a token is too irregular for prose: letters mixed with digits, or 16 of them on end. */
export function looksRandom(token: string): boolean {
  return (/[0-9]/.test(token) && /[A-Za-z]/.test(token)) || /[A-Za-z0-9]{16}/.test(token);
}

/** Reports whether a value stands for a secret without being one: `${TOKEN}`, `$TOKEN`, `{{ token }}`, `****`. */
export function isPlaceholder(value: string): boolean {
  return value.length <= MAX_JUDGED && PLACEHOLDER.test(value);
}

/** Reports whether a value is an expression that yields a secret: `getToken()`, `process.env.TOKEN`. */
export function isExpression(value: string): boolean {
  return value.length <= MAX_JUDGED && EXPRESSION.test(value);
}

/**
 * Judges a value that follows the name of a secret and a colon or spaces.
 *
 * Prose (`password: required`), types (`token: string`), expressions and paths stand there as often as secrets.
 */
export function looksLikeCredential(value: string, isQuoted: boolean): 'certain' | 'likely' | 'no' {
  const text = value.slice(0, MAX_JUDGED);
  if (text.length < 4 || NEVER_CREDENTIAL.test(text) || text.includes(REDACTED)) return 'no';
  if (isPlaceholder(text) || !/[A-Za-z0-9]/.test(text)) return 'no';
  if (!isQuoted && CODE.test(text)) return 'no';
  const hasDigit = /[0-9]/.test(text);
  if (text.length < 8) {
    return hasDigit && (isQuoted || (text.length >= 6 && looksRandom(text))) ? 'likely' : 'no';
  }
  if (hasDigit || /[!@#%^*~]/.test(text) || /[A-Za-z]{24}/.test(text)) return 'certain';
  return isQuoted && (/[a-z][A-Z]/.test(text) || text.length >= 16) ? 'certain' : 'no';
}

/** Longer values are judged by their beginning, which keeps the judgement's cost bounded. */
const MAX_JUDGED = 128;
const PLACEHOLDER = /^(?:\$[A-Z_][A-Z0-9_]*|\$?\{[^}]*\}\}?|%[A-Za-z_]\w*%|[*x.]{3,})[,;)]?$/;
const EXPRESSION =
  /^(?:(?:self|this|process\.env|os\.environ|import\.meta\.env)\b|[A-Za-z_][\w.]*\([^()]*\)?[,;)]*$)/;
/** White space inside, a URL (which is searched on its own), a file. */
const NEVER_CREDENTIAL = /\s|:\/\/|^\.{0,2}\/|^~\//;
/** A variable, a call or an index, a dotted name, a typed array. */
const CODE = /^\$[A-Za-z_]|[([]|^[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)+$|^(?:Big)?(?:Ui|I|F)\w+Array$/;
