/** What a process of the crash tests is told on its command line. */
export interface ChildOrder {
  /** Folder of the run: workspace, data, traces. */
  readonly directory: string;
  /** Root of the model server's API. */
  readonly url: string;
  /**
   * `start` runs from the beginning, `resume` goes on, `decide` answers an open hold, `finish` does all
   * that is needed until nothing is left to do, `save` keeps an artifact for a goal of its own.
   */
  readonly command: 'start' | 'resume' | 'decide' | 'finish' | 'save';
  /** Where the process dies: at the so manieth time it comes to that moment. */
  readonly kill?: Kill;
  /** What goes wrong, or is asked for, on the way. */
  readonly trouble?: Trouble;
  /** How a hold is answered. */
  readonly answer?: 'accept' | 'retry';
}

/** A moment, and how many of its name come before it. */
export interface Kill {
  readonly moment: string;
  readonly count: number;
  /** Dies not at the moment but a turn of the event loop behind it, in the middle of what it began. */
  readonly isLate?: boolean;
  /** Whether it is no fault when the process never comes there. */
  readonly mayMiss?: boolean;
}

/** Something that a run meets besides its script. */
export type Trouble =
  /** The host stops it while the command runs, and lets the command end. */
  | 'stop-in-command'
  /** The host stops it at once while the command runs. */
  | 'stop-now-in-command'
  /** The host cancels it in its third turn. */
  | 'cancel'
  /** Somebody else cancels it while the model answers. */
  | 'cancel-elsewhere'
  /** The first write breaks off right behind its effect. */
  | 'break-off'
  /** The host's listener throws in the third turn. */
  | 'throw'
  /** Waiting is a hundred times shorter than it says, so that a heartbeat comes soon. */
  | 'fast-clock';

/** One line of the log that all processes of a run write. */
export type LogLine =
  | { readonly pid: number; readonly kind: 'moment'; readonly moment: string }
  | { readonly pid: number; readonly kind: 'effect'; readonly effect: string }
  /** An operation began to be performed, as the host is told. */
  | {
      readonly pid: number;
      readonly kind: 'begun';
      readonly key: string;
      readonly replayed: boolean;
    }
  /** The host was told how an operation came out; what it was told must never be lost. */
  | {
      readonly pid: number;
      readonly kind: 'told';
      readonly key: string;
      readonly replayed: boolean;
      readonly text: string;
    };
