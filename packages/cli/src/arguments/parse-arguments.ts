import { parseArgs } from 'node:util';
import { usageError } from '../cli-error.ts';

/** One option of a command. */
export interface OptionSpec {
  /** Name of the value in the help, or null for a switch. */
  readonly value: string | null;
  /** Whether it may be given several times. */
  readonly isRepeatable?: boolean;
  /** One line for the help. */
  readonly help: string;
}

/** The shape of a command's arguments. */
export interface ArgumentSpec {
  /** The command as typed: `trail verify`. */
  readonly command: string;
  /** Names of the positional arguments; a trailing `?` marks an optional one. */
  readonly positionals: readonly string[];
  /** Options by name, without the dashes. */
  readonly options: Readonly<Record<string, OptionSpec>>;
}

/** Parsed arguments: positionals in order, values by option name. */
export interface ParsedArguments {
  /** Positional arguments. */
  readonly positionals: readonly string[];
  /** The value of an option, or null. */
  text(name: string): string | null;
  /** All values of a repeatable option, in order. */
  list(name: string): readonly string[];
  /** Whether a switch was given. */
  has(name: string): boolean;
}

/**
 * Parses the arguments that follow a command.
 *
 * @throws `cli/usage` naming the argument and what was expected.
 */
export function parseArguments(spec: ArgumentSpec, argv: readonly string[]): ParsedArguments {
  const { values, positionals } = parsed(spec, argv);
  const required = spec.positionals.filter((name) => !name.endsWith('?')).length;
  if (positionals.length < required) {
    throw usageError(
      `'millforge ${spec.command}' needs ${spec.positionals[positionals.length] ?? 'an argument'}; ${hint(spec)}`,
    );
  }
  const surplus = positionals[spec.positionals.length];
  if (surplus !== undefined) {
    throw usageError(`'millforge ${spec.command}' does not take '${surplus}'; ${hint(spec)}`);
  }
  for (const [name, option] of Object.entries(spec.options)) {
    const given = [values[name]].flat();
    if (given.length > 1 && option.isRepeatable !== true && option.value !== null) {
      throw usageError(
        `'--${name}' is given ${given.length} times, and takes one value; ${hint(spec)}`,
      );
    }
    if (given.includes('')) {
      throw usageError(`'--${name}' needs a value (${option.value ?? ''}); ${hint(spec)}`);
    }
  }
  return {
    positionals,
    text(name) {
      const value = values[name];
      const last = Array.isArray(value) ? value.at(-1) : value;
      return typeof last === 'string' ? last : null;
    },
    list(name) {
      const value = values[name];
      const all = Array.isArray(value) ? value : [value];
      return all.filter((item) => typeof item === 'string');
    },
    has: (name) => [values[name]].flat().includes(true),
  };
}

function parsed(spec: ArgumentSpec, argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      strict: true,
      options: Object.fromEntries(
        Object.entries(spec.options).map(([name, option]) => [
          name,
          {
            type: option.value === null ? ('boolean' as const) : ('string' as const),
            multiple: true,
          },
        ]),
      ),
    });
  } catch (cause) {
    throw usageError(`${sentence(spec, argv, cause)}; ${hint(spec)}`, cause);
  }
}

// The messages of node:util quote the offending option first; only that part is kept, because the
// rest gives advice that does not fit this command line.
function sentence(spec: ArgumentSpec, argv: readonly string[], cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : '';
  const message = cause instanceof Error ? cause.message : '';
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? argv.find((part) => part.startsWith('-')) ?? '';
  const option = quoted.split(/[ =]/)[0] ?? quoted;
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    return `'millforge ${spec.command}' has no option '${option}'`;
  }
  const known = spec.options[option.replace(/^-+/, '')];
  if (known?.value === null) return `'${option}' takes no value`;
  return `'${option}' needs a value${known === undefined ? '' : ` (${known.value})`}`;
}

function hint(spec: ArgumentSpec): string {
  return `see 'millforge ${spec.command} --help'.`;
}
