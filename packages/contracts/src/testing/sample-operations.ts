import type { JsonValue, Operation } from '@millforge/contracts';

/** An answer that was lost on the way. */
export const DOUBT = { code: 'timeout', message: 'The answer was lost.' };

/** A turn of a model: safe to repeat. */
export function modelCall(step: number): Operation {
  return {
    key: `model/${step}`,
    step,
    kind: 'model',
    effect: 'none',
    repeat: 'safe',
    metered: true,
    input: { messages: [step] },
    describe: `model turn ${step}`,
  };
}

/** A turn whose conversation goes on from the turn before. */
export function continued(step: number): Operation {
  return { ...modelCall(step), extends: `model/${step - 1}` };
}

/** A tool call that only looks. */
export function readCall(key: string): Operation {
  return {
    key,
    step: 1,
    kind: 'tool',
    effect: 'read',
    repeat: 'safe',
    metered: false,
    input: { path: 'a' },
    describe: 'read a',
  };
}

/** A tool call that may not be repeated. */
export function writeCall(key: string, more: Partial<Operation> = {}): Operation {
  return { ...readCall(key), effect: 'write', repeat: 'unsafe', describe: 'write a', ...more };
}

/** An act that answers a value and counts how often it is asked. */
export function acting(value: JsonValue, usage?: { readonly input_tokens: number }) {
  const act = {
    count: 0,
    run: async () => {
      act.count += 1;
      return usage === undefined ? { value } : { value, usage };
    },
  };
  return act;
}

/** An act that throws. */
export function throwing(error: Error) {
  return (): Promise<{ value: JsonValue }> => Promise.reject(error);
}
