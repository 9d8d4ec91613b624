import { digest, MillforgeError } from '@millforge/contracts';

/** A command that the operator has set up, and that a model may start by its name. */
export interface ShellProfile {
  /** Program and arguments; no shell reads them. */
  readonly argv: readonly string[];
  /** Seconds until it is ended; default and at most 1,800. */
  readonly timeoutSeconds?: number;
  /** Variables that it gets besides the few that every command gets. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Bytes of output that are shown at most, whatever the model asks for; default 60,000. */
  readonly maxOutputBytes?: number;
}

/** Profiles by the name that a model gives. */
export type ShellProfiles = Readonly<Record<string, ShellProfile>>;

/**
 * Checks profiles as they are handed over.
 *
 * @throws `builtin-tools/invalid-option` naming the profile and what was expected.
 */
export function assertProfiles(profiles: ShellProfiles): void {
  for (const [name, profile] of Object.entries(profiles)) {
    const { argv, timeoutSeconds = 1, maxOutputBytes = 1, environment = {} } = profile;
    if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
      throw invalid(name, 'needs a name of 1 to 64 of A-Z a-z 0-9 . _ -');
    }
    const isCommand = Array.isArray(argv) && argv.length > 0 && argv.every(isArgument);
    if (!isCommand || argv[0] === '')
      throw invalid(name, 'needs argv: a program and its arguments');
    if (!isWithin(timeoutSeconds, MAX_SECONDS)) {
      throw invalid(name, `needs timeoutSeconds from 1 to ${MAX_SECONDS}`);
    }
    if (!isWithin(maxOutputBytes, MAX_OUTPUT)) {
      throw invalid(name, `needs maxOutputBytes from 1 to ${MAX_OUTPUT}`);
    }
    if (!Object.entries(environment).flat().every(isArgument)) {
      throw invalid(name, 'needs an environment of texts without NUL');
    }
  }
}

/** By what the trail tells whether a profile is the one of an earlier call; holds no value of a variable. */
export function profileDigest(profile: ShellProfile): string {
  return digest({
    argv: [...profile.argv],
    timeout_seconds: profile.timeoutSeconds ?? MAX_SECONDS,
    environment: { ...profile.environment },
    max_output_bytes: profile.maxOutputBytes ?? MAX_OUTPUT,
  });
}

/** The command of a profile on one line, quoted as a shell would need it. */
export function commandLine({ argv }: ShellProfile): string {
  return argv
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

function isArgument(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0');
}

function isWithin(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

function invalid(name: string, expected: string): MillforgeError {
  return new MillforgeError(
    'builtin-tools/invalid-option',
    `The profile ${name.slice(0, 64)} ${expected}.`,
  );
}

/** Seconds of a command at most. */
export const MAX_SECONDS = 1800;

/** Bytes of output that are shown at most; the text of a result holds a little more. */
export const MAX_OUTPUT = 60_000;
