import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { type BytePath, toText } from './byte-path.ts';

/** A pattern in the dialect of ripgrep. */
export interface RipgrepPattern {
  readonly source: string;
  readonly ignoresCase: boolean;
}

/** Where the program of the package `@vscode/ripgrep` is; null where there is none for this platform. */
export async function ripgrepProgram(): Promise<string | null> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return existsSync(rgPath) ? rgPath : null;
  } catch {
    // The package is optional, and throws where it has no program; the search then does without.
    return null;
  }
}

/** What ripgrep is asked. */
export interface RipgrepQuestion {
  readonly program: string;
  readonly pattern: RipgrepPattern;
  /** Folder that the paths are relative to. */
  readonly folder: string;
  /** Glob that the names of all files that are meant fit; null for any name. */
  readonly nameGlob: string | null;
}

/**
 * Those of the files that may hold a match, or that ripgrep could not read; null when it gives no answer
 * that can be relied on. A path is one of a file, or with a slash at its end one of a folder whose own files
 * are meant. The program is killed when the signal is aborted.
 */
export function askRipgrep(
  { program, pattern, folder, nameGlob }: RipgrepQuestion,
  paths: readonly BytePath[],
  signal: AbortSignal,
): Promise<ReadonlySet<BytePath> | null> {
  const args = [
    ...FLAGS,
    ...(nameGlob === null ? [] : [`--type-add=meant:${nameGlob}`, '--type=meant']),
    pattern.ignoresCase ? '--ignore-case' : '--case-sensitive',
    `--regexp=${pattern.source}`,
    '--',
    ...paths.map((path) => `./${toText(path) ?? ''}`),
  ];
  return new Promise((resolve) => {
    const child = start(program, args, { folder, signal });
    if (child === null) return resolve(null);
    const output: string[] = [];
    let complaints = '';
    child.stdout.setEncoding('latin1').on('data', (text: string) => output.push(text));
    child.stderr.setEncoding('latin1').on('data', (text: string) => {
      complaints += text;
      if (complaints.length > MAX_COMPLAINTS) child.kill('SIGKILL');
    });
    child.on('error', () => resolve(null));
    child.on('close', (code) => {
      const closed = closedPaths(complaints);
      if (code === null || closed === null || (code > 1 && closed.length === 0)) resolve(null);
      else resolve(new Set([...output.join('').split('\0'), ...closed].map(withoutDot)));
    });
  });
}

function start(
  program: string,
  args: readonly string[],
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): ChildProcessByStdio<null, Readable, Readable> | null {
  if (signal.aborted) return null;
  try {
    return spawn(program, args, {
      cwd: folder,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
  } catch {
    // Names that are too long together, say, are no reason to fail: the search then does without.
    return null;
  }
}

/** The paths in messages about what could not be read; null when there is any other message. */
function closedPaths(complaints: string): readonly string[] | null {
  const lines = complaints.split('\n').filter((line) => line !== '');
  const paths = lines.map((line) => /^rg: (\.\/.*?): .+ \(os error \d+\)$/.exec(line)?.[1]);
  const known = paths.filter((path) => path !== undefined);
  return known.length === lines.length ? known : null;
}

function withoutDot(path: string): string {
  return path.slice(2);
}

const FLAGS = [
  '--no-config',
  '--no-ignore',
  '--hidden',
  '--max-depth=1',
  '--threads=1',
  '--files-with-matches',
  '--null',
  '--color=never',
];
const MAX_COMPLAINTS = 256 * 1024;
