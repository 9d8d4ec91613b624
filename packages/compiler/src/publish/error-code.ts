import { constants } from 'node:os';

/** The code of a system error, such as `ENOSPC`; its text may hold paths and stays out of results. */
export function errorCode(error: unknown): string {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,31}$/.test(code) ? code : 'UNKNOWN';
}

/** What a diagnostic says about a system error: its number as a field, its code as a hint. */
export function systemFault(code: string, advice = ''): SystemFaultPlace {
  const numbers: Readonly<Record<string, number>> = constants.errno;
  const errno = Object.hasOwn(numbers, code) ? numbers[code] : undefined;
  const hint = [advice, `The system said ${code}.`].filter(Boolean).join(' ');
  return { path: '/', hint, fields: errno === undefined ? {} : { errno } };
}

/** Place, hint and fields of a diagnostic about a system error. */
export interface SystemFaultPlace {
  readonly path: string;
  readonly hint: string;
  readonly fields: { readonly errno?: number };
}
