import type { BuiltinToolOptions } from '@millforge/builtin-tools';
import type { Clock, Ids, Tool } from '@millforge/contracts';
import type { Failpoint, KernelObserver } from '@millforge/kernel';
import type { ApprovalProvider } from '@millforge/runtime';
import type { Sandbox } from '@millforge/sandbox';

/** What a Millforge is made of; everything has a default. */
export interface MillforgeOptions {
  /**
   * Directory of the trail, made when it is missing; null keeps nothing and loads no driver. Default
   * `$XDG_STATE_HOME/millforge`, or `~/.local/state/millforge`.
   */
  readonly dataDir?: string | null;
  /** Tools beside those that ship. */
  readonly tools?: readonly Tool[];
  /** The tools that ship; default the built-in and the Pi-compatible ones. */
  readonly shippedTools?: readonly Tool[];
  /** What the operator sets up for the built-in tools: commands, protected paths. */
  readonly builtinTools?: Omit<BuiltinToolOptions, 'environment' | 'findRun'>;
  /**
   * Where the commands of `bash` and of profiles run, with the workspace writable and no network; default processes of this
   * host, which is no sandbox. Not disposed of here.
   */
  readonly sandbox?: Sandbox;
  /** Asks whether a call may be performed; without it, whatever would be asked is declined. */
  readonly approvalProvider?: ApprovalProvider;
  /** Who acts, as it stands in the trail; default `user@host`. */
  readonly actor?: string;
  /** Environment in which keys are looked up by name; default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** HTTP; default the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Time; default this machine's. */
  readonly clock?: Clock;
  /** Source of fresh names; default random. */
  readonly ids?: Ids;
  /** What this runs on; default the platform of the process. On `win32` nothing is run. */
  readonly platform?: NodeJS.Platform;
  /** Told what runs, without content: `millforge/kernel/telemetry` makes one for OpenTelemetry. Default nobody. */
  readonly observer?: KernelObserver;
  /** Called around every durable write and every act; tests kill the process there. */
  readonly failpoint?: (name: Failpoint) => void;
}
