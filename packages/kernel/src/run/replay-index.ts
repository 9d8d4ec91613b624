import type { JsonValue, Operation } from '@millforge/contracts';
import { digest, MillforgeError } from '@millforge/contracts';
import { kernelError } from '../kernel-error.ts';
import type { OperationRow } from '../store/operation-row.ts';
import { type Payload, toPayload } from '../store/payloads.ts';

/** How an operation differs from what the record says. */
export interface Difference {
  /** Key at which the replay leaves the record. */
  readonly key: string;
  /** Field that differs, or what is missing. */
  readonly what: string;
  readonly recorded: JsonValue;
  readonly asked: JsonValue;
}

/** What the record says about an operation that was asked for. */
export type Asked =
  | { readonly kind: 'diverged'; readonly difference: Difference }
  | {
      readonly kind: 'known';
      readonly row: OperationRow;
      readonly part: Payload;
      readonly inputSha256: string;
    }
  | { readonly kind: 'new'; readonly part: Payload; readonly inputSha256: string };

/** Compares what a program asks for with what its record holds, at constant cost per operation. */
export interface ReplayIndex {
  /** Looks an operation up, and notes that it was asked for. */
  ask(operation: Operation): Asked;
  /** The difference of a live performance of `operation` at this point, if any. */
  liveDifference(operation: Operation): Difference | null;
  /** The difference of an end at this point, if any. */
  endDifference(): Difference | null;
  /** Number of operations in the record. */
  readonly size: number;
}

/** Indexes the operations of a task. */
export function createReplayIndex(rows: readonly OperationRow[]): ReplayIndex {
  const known = new Map(rows.map((row) => [row.key, row]));
  const inputs = new Map<string, string>();
  // What was performed live in this attempt, for a program that asks for it once more.
  const live = new Map<string, Compared>();
  // Recorded operations that nobody asked for yet, by step; steps are asked for in their order.
  const open = new Map<number, Set<string>>();
  for (const { step, key } of rows) {
    const keys = open.get(step);
    if (keys === undefined) open.set(step, new Set([key]));
    else keys.add(key);
  }
  const steps = [...open.keys()].toSorted((a, b) => a - b);
  let next = 0;
  let lastStep = steps.at(-1) ?? Number.NEGATIVE_INFINITY;

  /** The first recorded operation that was not asked for. */
  const firstOpen = (): { readonly step: number; readonly key: string } | null => {
    for (; next < steps.length; next++) {
      const step = steps[next];
      const key = step === undefined ? undefined : open.get(step)?.values().next().value;
      if (step !== undefined && key !== undefined) return { step, key };
    }
    return null;
  };

  const inputOf = (
    operation: Operation,
  ): { readonly part: Payload; readonly inputSha256: string } => {
    const part = payloadOf(operation);
    if (operation.extends === undefined) return { part, inputSha256: part.sha256 };
    const base = inputs.get(operation.extends);
    if (base === undefined) {
      throw kernelError(
        'kernel/operation-invalid',
        `${operation.key} extends ${operation.extends}, which was not asked for before.`,
      );
    }
    return { part, inputSha256: digest({ extends: base, append: part.sha256 }) };
  };

  return {
    get size() {
      return known.size;
    },
    ask(operation) {
      const { part, inputSha256 } = inputOf(operation);
      inputs.set(operation.key, inputSha256);
      const row = known.get(operation.key);
      if (row === undefined) {
        const { step, kind, effect, repeat } = operation;
        const before = live.get(operation.key);
        const changed = before === undefined ? null : differenceOf(operation, before, inputSha256);
        if (changed !== null) return { kind: 'diverged', difference: changed };
        live.set(operation.key, { input_sha256: inputSha256, step, kind, effect, repeat });
        return { kind: 'new', part, inputSha256 };
      }
      const difference = differenceOf(operation, row, inputSha256);
      if (difference !== null) return { kind: 'diverged', difference };
      open.get(row.step)?.delete(row.key);
      return { kind: 'known', row, part, inputSha256 };
    },
    liveDifference({ key, step }) {
      const missing = firstOpen();
      if (missing !== null && missing.step < step) {
        return {
          key: missing.key,
          what: 'an operation of an earlier step was not asked for',
          recorded: missing.key,
          asked: key,
        };
      }
      if (lastStep > step) {
        return {
          key,
          what: 'an operation is performed in a step before the last recorded one',
          recorded: lastStep,
          asked: step,
        };
      }
      lastStep = step;
      return null;
    },
    endDifference() {
      const missing = firstOpen();
      if (missing === null) return null;
      return {
        key: missing.key,
        what: 'the task ended before an operation was asked for',
        recorded: missing.key,
        asked: null,
      };
    },
  };
}

/** What of an operation may not change when it is asked for again. */
type Compared = Pick<OperationRow, 'input_sha256' | 'kind' | 'effect' | 'repeat' | 'step'>;

/** The bytes of an input; one that is no JSON is the program's mistake. */
function payloadOf({ key, input }: Operation): Payload {
  try {
    return toPayload(input);
  } catch (cause) {
    const why = MillforgeError.is(cause) ? cause.message : 'It cannot be read.';
    throw new MillforgeError(
      'kernel/operation-invalid',
      `The input of the operation ${key.slice(0, 64)} is no JSON: ${why}`,
      { cause },
    );
  }
}

function differenceOf(operation: Operation, row: Compared, inputSha256: string): Difference | null {
  const compared: readonly (readonly [string, JsonValue, JsonValue])[] = [
    ['input_sha256', row.input_sha256, inputSha256],
    ['kind', row.kind, operation.kind],
    ['effect', row.effect, operation.effect],
    ['repeat', row.repeat, operation.repeat],
    ['step', row.step, operation.step],
  ];
  const found = compared.find(([, recorded, asked]) => recorded !== asked);
  if (found === undefined) return null;
  const [what, recorded, asked] = found;
  return { key: operation.key, what, recorded, asked };
}
