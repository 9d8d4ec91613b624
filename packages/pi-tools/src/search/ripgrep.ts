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
export async function askRipgrep(
  question: RipgrepQuestion,
  paths: readonly BytePath[],
  signal: AbortSignal,
): Promise<ReadonlySet<BytePath> | null> {
  const { nameGlob } = question;
  const flags = [
    '--no-ignore',
    '--max-depth=1',
    '--threads=1',
    ...(nameGlob === null ? [] : [`--type-add=meant:${nameGlob}`, '--type=meant']),
  ];
  const places = paths.map((path) => `./${toText(path) ?? ''}`);
  const answer = await runRipgrep(question, { flags, places, signal });
  const closed = answer === null ? null : closedPaths(answer.complaints);
  if (answer === null || closed === null || (answer.code > 1 && closed.length === 0)) return null;
  return new Set([...answer.hits, ...closed]);
}

/** What ripgrep said about files below a folder. */
export interface RipgrepAnswer {
  readonly code: number;
  /** Paths of files with a match, without the dot in front. */
  readonly hits: readonly BytePath[];
  /** Lines of its other output. */
  readonly complaints: readonly string[];
}

/** Starts ripgrep and waits for it; null when it was stopped, and for an answer that is too long. */
export function runRipgrep(
  { program, pattern, folder }: RipgrepQuestion,
  call: {
    readonly flags: readonly string[];
    readonly places: readonly string[];
    readonly signal: AbortSignal;
    /** Hits with which an answer is too long; default as many as there are. */
    readonly maxHits?: number;
  },
): Promise<RipgrepAnswer | null> {
  const { flags, places, signal, maxHits = Number.POSITIVE_INFINITY } = call;
  const args = [
    ...FLAGS,
    ...flags,
    pattern.ignoresCase ? '--ignore-case' : '--case-sensitive',
    `--regexp=${pattern.source}`,
    '--',
    ...places,
  ];
  return new Promise((resolve) => {
    const child = start(program, args, { folder, signal });
    if (child === null) return resolve(null);
    const hits: BytePath[] = [];
    let rest = '';
    let complaints = '';
    child.stdout.setEncoding('latin1').on('data', (text: string) => {
      const paths = (rest + text).split('\0');
      rest = paths.pop() ?? '';
      hits.push(...paths.map(withoutDot));
      if (hits.length > maxHits) child.kill('SIGKILL');
    });
    child.stderr.setEncoding('latin1').on('data', (text: string) => {
      complaints += text;
      if (complaints.length > MAX_COMPLAINTS) child.kill('SIGKILL');
    });
    child.on('error', () => resolve(null));
    child.on('close', (code) => {
      const lines = complaints.split('\n').filter((line) => line !== '');
      resolve(code === null ? null : { code, hits, complaints: lines });
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
export function closedPaths(complaints: readonly string[]): readonly BytePath[] | null {
  const paths = complaints.map((line) => CLOSED.exec(line)?.[1]);
  const known = paths.filter((path) => path !== undefined);
  return known.length === complaints.length ? known : null;
}

function withoutDot(path: string): string {
  return path.slice(2);
}

const FLAGS = ['--no-config', '--hidden', '--files-with-matches', '--null', '--color=never'];
const CLOSED = /^rg: \.\/(.*?): .+ \(os error \d+\)$/;
const MAX_COMPLAINTS = 256 * 1024;
