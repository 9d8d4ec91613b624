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

/**
 * Calls a method of a tool. The promise is made once, here: the `then` of an answer that is none of
 * the language's own may act, and every look at it would be one act more.
 */
async function later(method: object, self: unknown, args: readonly unknown[]): Promise<unknown> {
  if (typeof method !== 'function') return undefined;
  const answer: unknown = await Reflect.apply(method, self, args);
  return answer;
}
