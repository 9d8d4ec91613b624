import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapter, GoalContract } from '@millforge/kernel';

/** A goal that is crashed: what it does, and what may be seen of it afterwards. */
export interface Scenario {
  readonly name: string;
  readonly contract: GoalContract;
  /** The host's code; what it does depends on outcomes only. `reach` names moments inside the acts. */
  adapters(traces: Traces, reach: (moment: string) => void): readonly Adapter[];
  /** Every effect, and whether it may be seen more than once: never, under one key only, or at will. */
  readonly effects: { readonly [key: string]: 'once' | 'keyed' | 'any' };
  /** What nobody can look for: it is asked about exactly when it was in flight. */
  readonly asked: readonly string[];
  /** What the person attests for an effect that happened. */
  attested(key: string): { readonly did: string };
  /** Tasks that fail although nothing crashed. */
  readonly failing: readonly string[];
}

/** Files in which acts and acknowledgements leave their traces, outside of the kernel. */
export interface Traces {
  /** One line per act that was begun: key. */
  readonly acts: string;
  /** One line per effect: key and idempotency key. */
  readonly effects: string;
  /** One line per promise that resolved: key and value. */
  readonly acknowledged: string;
}

export function tracesIn(directory: string): Traces {
  return {
    acts: join(directory, 'acts.txt'),
    effects: join(directory, 'effects.txt'),
    acknowledged: join(directory, 'acknowledged.txt'),
  };
}

export function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** Whether an effect was seen outside. */
export function hasHappened({ effects }: Traces, key: string): boolean {
  return linesOf(effects).some((line) => line.startsWith(`${key} `));
}

/** Does what an act does: leaves a trace that it began, and its effect if it has one. */
export function act(
  traces: Traces,
  reach: (moment: string) => void,
  done: { readonly key: string; readonly idempotencyKey: string; readonly hasEffect: boolean },
): { readonly did: string } {
  appendFileSync(traces.acts, `${done.key}\n`);
  if (done.hasEffect) {
    reach('before:effect');
    appendFileSync(traces.effects, `${done.key} ${done.idempotencyKey}\n`);
    reach('after:effect');
  }
  return { did: done.key };
}

/** Notes that a program was given a result: from then on it must never be lost or made again. */
export function acknowledge({ acknowledged }: Traces, key: string, value: unknown): void {
  appendFileSync(acknowledged, `${key} ${JSON.stringify(value)}\n`);
}
