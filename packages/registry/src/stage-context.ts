import type { Clock, LiveToolContext } from '@millforge/contracts';
import type { AdmittedCall } from './check-call.ts';
import type { Halt } from './within-limits.ts';

/**
 * What the code of a tool is given in the live stages of one call: one object, whose signal is that of the
 * stage which is going on.
 *
 * Most tools never look at the signal, and making one takes longer than they do: it is made when it is
 * first read. It is a property of the context itself all the same, so that a copy of the context has it.
 */
export class StageContext implements LiveToolContext {
  readonly runId: string;
  readonly callId: string;
  readonly workspace: string | null;
  readonly clock: Clock;
  declare readonly signal: AbortSignal;
  #halt: Halt;

  constructor({ facts }: AdmittedCall, clock: Clock) {
    this.runId = facts.context.runId;
    this.callId = facts.callId;
    this.workspace = facts.context.workspace;
    this.clock = clock;
    this.#halt = NOT_BEGUN;
    // One getter for all contexts: the engine takes a getter of each object's own for another shape.
    Object.defineProperty(this, 'signal', StageContext.#signal);
  }

  /** The context of the next stage. */
  begin(halt: Halt): this {
    this.#halt = halt;
    return this;
  }

  static readonly #signal: PropertyDescriptor & ThisType<StageContext> = {
    enumerable: true,
    configurable: true,
    get() {
      return this.#halt.signal;
    },
  };
}

const NOT_BEGUN: Halt = new AbortController();
