import { stat } from 'node:fs/promises';
import type { OptionSpec, ParsedArguments } from '../arguments/parse-arguments.ts';
import { usageError } from '../cli-error.ts';
import { readDataDirectory } from '../config/effective-config.ts';
import type { CliHost } from '../output/terminal.ts';

/** Option of every command that works on what is kept. */
export const DATA_OPTION: Readonly<Record<string, OptionSpec>> = {
  data: { value: 'DIR', help: 'data directory: trail, plans, exports' },
};

/** Where a command finds what is kept. */
export interface DataPlace {
  /** The data directory, absolute. */
  readonly directory: string;
  /** What goes behind a command that is advised, so that it finds the same place: ` --data DIR`. */
  readonly flag: string;
}

/** Finds the data directory of a command that takes no harness. */
export async function findData(host: CliHost, args: ParsedArguments): Promise<DataPlace> {
  const given = args.text('data');
  const directory = await readDataDirectory(given, { ...host, project: host.cwd });
  await refuseFile(directory);
  return { directory, flag: given === null ? '' : dataFlag(given) };
}

/** Nothing lies in a file, and to say only that would hide that its name is wrong. */
async function refuseFile(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => null);
  if (found === null || found.isDirectory()) return;
  throw usageError(`The data directory ${directory} is no directory; name another with --data.`);
}

/** The same for a command that found its directory with the configuration of a harness. */
export async function placeOf(
  host: CliHost,
  args: ParsedArguments,
  directory: string,
): Promise<DataPlace> {
  const given = args.text('data');
  if (given !== null) return { directory, flag: dataFlag(given) };
  const usual = await readDataDirectory(null, { ...host, project: host.cwd });
  return { directory, flag: usual === directory ? '' : dataFlag(directory) };
}

/** A flag that can be pasted into a shell. */
export function dataFlag(directory: string): string {
  return ` --data ${shellWord(directory)}`;
}

/** A path as one word of a shell. */
export function shellWord(path: string): string {
  const isPlain = /^[\w@%+=:,./-]+$/.test(path);
  return isPlain ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
