import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sha256 } from '@millforge/contracts';
import { onTestFinished } from 'vitest';
import { captureTree } from '../../src/develop/tree/capture-tree.ts';
import type { CapturedTree } from '../../src/develop/tree/captured-tree.ts';

/** What a test puts at a path. */
export type Put =
  | { readonly content: Uint8Array | string; readonly executable?: boolean }
  | { readonly link: string }
  | { readonly empty: true };

/** A directory of its own for one test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'millforge-develop-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Makes a directory with these entries, and what leads to them. */
export function makeTree(directory: string, entries: Readonly<Record<string, Put>>): string {
  mkdirSync(directory, { recursive: true });
  for (const [path, put] of Object.entries(entries)) {
    const place = join(directory, path);
    mkdirSync('empty' in put ? place : dirname(place), { recursive: true });
    if ('empty' in put) continue;
    rmSync(place, { force: true });
    if ('link' in put) symlinkSync(put.link, place);
    else {
      writeFileSync(place, put.content);
      chmodSync(place, put.executable === true ? 0o755 : 0o644);
    }
  }
  return directory;
}

/** Contents by digest, in memory. */
export function memoryStore() {
  const contents = new Map<string, Uint8Array>();
  return {
    contents,
    keep: async (bytes: Uint8Array, digest = sha256(bytes)) => {
      contents.set(digest, Uint8Array.from(bytes));
    },
    async *open(digest: string) {
      const bytes = contents.get(digest);
      if (bytes === undefined) throw new Error(`nothing is kept as ${digest}`);
      yield bytes;
    },
  };
}

/** Captures a directory whole, `.git` left out. */
export function capture(
  directory: string,
  keep?: (bytes: Uint8Array, digest: string) => Promise<void>,
): Promise<CapturedTree> {
  return captureTree(directory, {
    isIgnored: (path) => path === '.git',
    ...(keep === undefined ? {} : { keep }),
  });
}

/** Runs git as nobody's git: no configuration of the machine is read. */
export function git(directory: string, args: readonly string[], input?: Uint8Array): string {
  return execFileSync('git', args, {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(input === undefined ? {} : { input }),
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CEILING_DIRECTORIES: dirname(directory),
      HOME: '/nonexistent',
    },
  });
}
