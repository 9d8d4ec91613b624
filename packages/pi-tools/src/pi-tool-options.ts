import type { CommandRunner } from './bash/command-runner.ts';
import type { SpawnHook } from './bash/spawn-hook.ts';
import type { PiProfile } from './profile.ts';

/** What the Pi-compatible tools are given by the host. */
export interface PiToolOptions {
  /**
   * `default` is Pi with its faults mended; `strict` says what Pi 0.79.6 says, to the letter, wherever
   * that harms no file.
   */
  readonly profile?: PiProfile;
  /**
   * Environment of the shell. Variables that look like secrets are left out. Default: only `PATH`
   * with the usual system folders, so that nothing of the host leaks unasked.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Names of secret-looking variables that the shell gets all the same. */
  readonly keepVariables?: readonly string[];
  /** Shell that runs `bash` commands; default `/bin/bash`, or `sh` where there is none. */
  readonly shellPath?: string;
  /** Text that every command of `bash` gets in front of it, as a line of its own. */
  readonly commandPrefix?: string;
  /** Changes every command of `bash`, its folder or its environment, right before it is started. */
  readonly spawnHook?: SpawnHook;
  /**
   * Runs the commands of `bash` elsewhere, as in a sandbox; default processes of this host, which is no
   * sandbox. Text, time-outs, logs and the environment stay those of the tool; `shellPath` means nothing.
   */
  readonly runCommand?: CommandRunner;
  /**
   * What happens to processes that a command leaves in the background when it ends by itself: `keep`
   * lets them live and notes their numbers, `end` ends them. Default `keep`.
   */
  readonly backgroundProcesses?: 'keep' | 'end';
  /**
   * Program of ripgrep, which looks ahead for `grep`; null for none. Results are the same without it.
   * Default that of the optional package `@vscode/ripgrep`, where it is installed.
   */
  readonly ripgrep?: string | null;
  /**
   * Whether `edit` and `write` wait until the disk has the new content, so that it outlives a loss of power;
   * default false. A file is replaced in one step either way, and the death of a process loses nothing.
   */
  readonly durable?: boolean;
  /** Folder of the full logs of long outputs; default the system's folder for temporary files. */
  readonly logDirectory?: string;
  /** What `~` means in paths; default the home folder of the user. */
  readonly homeDirectory?: string;
  /**
   * Whether images are brought down to 2,000 pixels a side and 4.5 MiB of Base64 before a model is shown them;
   * default true. Otherwise it is shown what the file holds, unchecked.
   */
  readonly autoResizeImages?: boolean;
  /** Called right before and right after a file is replaced or a shell is started. For crash tests. */
  readonly onEffect?: OnEffect;
}

/** Told of the moment around an effect; what it throws breaks the call off at that point. */
export type OnEffect = (
  tool: 'bash' | 'edit' | 'edit_anchored' | 'write',
  phase: 'before-effect' | 'after-effect',
  path?: string,
) => void;
