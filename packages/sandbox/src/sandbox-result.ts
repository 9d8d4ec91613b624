import type { JsonValue } from '@millforge/contracts';
import type { Containment } from './containment.ts';
import type { SandboxLimit } from './sandbox-limits.ts';

/** What every result of code that ran says. */
export interface SandboxRun {
  /** What held during the run. */
  readonly containment: Containment;
  /** Milliseconds from the request to the end. */
  readonly durationMs: number;
  /** What the code wrote, or logged, to its standard output; empty where `onOutput` took it. */
  readonly stdout: string;
  /** The same of its standard error. */
  readonly stderr: string;
}

/** The function gave a value. */
export interface SandboxReturned extends SandboxRun {
  /** Tells the kinds of results apart. */
  readonly kind: 'returned';
  /** What it gave. */
  readonly value: JsonValue;
}

/** The function, or its module, threw. */
export interface SandboxThrew extends SandboxRun {
  /** Tells the kinds of results apart. */
  readonly kind: 'threw';
  /** What it threw, as text that the code chose: never trust it. */
  readonly error: {
    /** Name of the error. */
    readonly name: string;
    /** Its message, at most 2,048 characters. */
    readonly message: string;
  };
}

/** The program ended by itself. */
export interface SandboxExited extends SandboxRun {
  /** Tells the kinds of results apart. */
  readonly kind: 'exited';
  /** Its exit code; 128 and the number for a signal that was not of the sandbox. */
  readonly exitCode: number;
  /** Limits that the program ran into on its way. */
  readonly limitsMet: readonly SandboxLimit[];
}

/** A limit ended the run. */
export interface SandboxStopped extends SandboxRun {
  /** Tells the kinds of results apart. */
  readonly kind: 'stopped';
  /** Which. */
  readonly limit: SandboxLimit;
}

/** The host's signal ended the run. */
export interface SandboxAborted extends SandboxRun {
  /** Tells the kinds of results apart. */
  readonly kind: 'aborted';
}

/** What carries the code died, and no limit explains it. */
export interface SandboxCrashed extends SandboxRun {
  /** Tells the kinds of results apart. */
  readonly kind: 'crashed';
  /** What was seen of it. */
  readonly message: string;
}

/** The sandbox does not do this, whatever the host could; nothing ran. */
export interface SandboxRefused {
  /** Tells the kinds of results apart. */
  readonly kind: 'refused';
  /** Which rule. */
  readonly reason: 'above-ceiling' | 'forbidden-path' | 'no-boundary';
  /** One sentence: what was asked and what is allowed. */
  readonly message: string;
}

/** This host cannot hold what was asked; nothing ran, and nothing weaker was taken instead. */
export interface SandboxUnavailable {
  /** Tells the kinds of results apart. */
  readonly kind: 'unavailable';
  /** One sentence: what is missing and how to get it. */
  readonly message: string;
}

/** How a call of a function ended. */
export type CallResult =
  | SandboxReturned
  | SandboxThrew
  | SandboxStopped
  | SandboxAborted
  | SandboxCrashed
  | SandboxRefused
  | SandboxUnavailable;

/** How a command ended. */
export type CommandResult =
  | SandboxExited
  | SandboxStopped
  | SandboxAborted
  | SandboxCrashed
  | SandboxRefused
  | SandboxUnavailable;

/** How a run in the sandbox ended. */
export type SandboxResult = CallResult | CommandResult;
