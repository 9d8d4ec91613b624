import type { ToolRunContext } from '@millforge/contracts';
import { type PlainJson, toPlainCopy } from './plain-json.ts';
import { readField } from './read-field.ts';

/** What the code of a tool handed over, each field read once: later reads could give something else. */
export type ReadPrepared =
  | ReadAct
  | { readonly kind: 'refused'; readonly code: unknown; readonly message: unknown }
  | { readonly kind: 'neither' };

/** An act that can be run. */
export interface ReadAct {
  readonly kind: 'prepared';
  readonly before: PlainJson;
  readonly run: (context: ToolRunContext) => Promise<unknown>;
  /** Null for a tool that took nothing. */
  readonly dispose: (() => Promise<unknown>) | null;
}

/** Reads what `prepare` answered; total. */
export function readPrepared(answer: unknown): ReadPrepared {
  const kind = readField(answer, 'kind');
  if (kind === 'refused') {
    return { kind, code: readField(answer, 'code'), message: readField(answer, 'message') };
  }
  const run = readField(answer, 'run');
  if (kind !== 'prepared' || typeof run !== 'function') return { kind: 'neither' };
  const dispose = readField(answer, 'dispose');
  return {
    kind,
    before: toPlainCopy(readField(answer, 'before') ?? null, { dropUndefined: true }),
    run: (context) => later(run, answer, [context]),
    dispose: typeof dispose === 'function' ? () => later(dispose, answer, []) : null,
  };
}

/** Calls a method of a tool. */
function later(method: object, self: unknown, args: readonly unknown[]): Promise<unknown> {
  const answer: unknown =
    typeof method === 'function' ? Reflect.apply(method, self, args) : undefined;
  return isBarePromise(answer) ? answer : once(answer);
}

/** A promise of the language itself, as every async function gives: to wait for it runs no code of the tool. */
function isBarePromise(answer: unknown): answer is Promise<unknown> {
  return (
    answer instanceof Promise &&
    Object.getPrototypeOf(answer) === Promise.prototype &&
    !Object.hasOwn(answer, 'then') &&
    !Object.hasOwn(answer, 'constructor')
  );
}

/** The promise is made once, here: any other `then` may act, and every look at it would be one act more. */
async function once(answer: unknown): Promise<unknown> {
  const value: unknown = await answer;
  return value;
}
