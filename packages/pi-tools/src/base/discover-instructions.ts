import { realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { deepFreeze, digest, type JsonValue } from '@millforge/contracts';
import { cutUtf8, utf8Length } from './cut-utf8.ts';
import { type FoundFile, findInstructionFile, type Place } from './find-instruction-file.ts';
import { findRepositoryRoot } from './find-repository-root.ts';
import type { InstructionRecord, InstructionSnapshot, PromptFile } from './instruction-snapshot.ts';

/** Where instructions are looked for. */
export interface InstructionPlaces {
  /** Working directory of the agent, absolute. */
  readonly cwd: string;
  /** Home of the user, absolute; null for none, and then there is no global file. */
  readonly home: string | null;
  /** Whether `AGENTS.md` and `CLAUDE.md` are looked for at all; default true. */
  readonly contextFiles?: boolean;
  /** Whether the folders of other agents count too: `.pi`. Default false. */
  readonly otherAgents?: boolean;
}

/**
 * Reads the instruction files that an agent in a folder is to follow.
 *
 * One of the user, then one of every folder from the root of the repository down to the working directory;
 * without a repository only the one of the working directory. Folders above belong to others, such as
 * `/tmp`, and a link that leads out of the repository is not followed. Nothing is written.
 */
export async function discoverInstructions(
  places: InstructionPlaces,
): Promise<InstructionSnapshot> {
  const cwd = await realpath(places.cwd);
  const home = places.home === null ? null : await realpath(places.home).catch(() => null);
  const search = await openSearch({ cwd, home, otherAgents: places.otherAgents === true });
  const found = places.contextFiles === false ? [] : await findContext(search);
  const { files, truncated } = allocate(found, search.diagnostics);
  const system = await findPrompt(search, 'SYSTEM.md');
  const append = await findPrompt(search, 'APPEND_SYSTEM.md');
  return deepFreeze({
    files,
    system,
    append,
    diagnostics: search.diagnostics.map((line) => cutUtf8(line, MAX_DIAGNOSTIC_BYTES)),
    context_sha256: digest(files.map(toJson), { newline: false }),
    truncated,
  });
}

interface Search {
  /** Folders of the repository, from its root down to the working directory. */
  readonly folders: readonly string[];
  /** The folder that no project file may lead out of. */
  readonly root: string;
  readonly cwd: string;
  /** Folders of the user, the first that has a file wins. */
  readonly userFolders: readonly string[];
  readonly projectFolders: readonly string[];
  readonly home: string | null;
  readonly diagnostics: string[];
}

async function openSearch(from: {
  readonly cwd: string;
  readonly home: string | null;
  readonly otherAgents: boolean;
}): Promise<Search> {
  const { cwd, home, otherAgents } = from;
  const diagnostics: string[] = [];
  const root = (await findRepositoryRoot(cwd, diagnostics)) ?? cwd;
  const own = (folder: string, other: string) => [
    join(folder, '.millforge'),
    ...(otherAgents ? [join(folder, other)] : []),
  ];
  return {
    folders: foldersBetween(root, cwd),
    root,
    cwd,
    userFolders: home === null ? [] : own(home, join('.pi', 'agent')),
    projectFolders: own(cwd, '.pi'),
    home,
    diagnostics,
  };
}

function foldersBetween(root: string, cwd: string): readonly string[] {
  const folders = [cwd];
  for (let at = cwd; at !== root && at !== dirname(at); at = dirname(at)) folders.push(dirname(at));
  return folders.toReversed();
}

async function findContext(search: Search): Promise<readonly Found[]> {
  const taken = new Set<string>();
  const found: Found[] = [];
  const places: readonly (Place & { readonly scope: InstructionRecord['scope'] })[] = [
    ...search.userFolders.map((folder) => userPlace(search, folder)),
    ...search.folders.map((folder) => projectPlace(search, folder)),
  ];
  for (const place of places) {
    // The user has one file; the folders of other agents come in where there is none of ours.
    if (place.scope === 'global' && found.length > 0) continue;
    const file = await findInstructionFile(place, CANDIDATES);
    if (file === null || taken.has(file.identity)) continue;
    taken.add(file.identity);
    found.push({ scope: place.scope, file });
  }
  return found;
}

interface Found {
  readonly scope: InstructionRecord['scope'];
  readonly file: FoundFile;
}

function allocate(
  found: readonly Found[],
  diagnostics: string[],
): { readonly files: readonly InstructionRecord[]; readonly truncated: boolean } {
  const files: InstructionRecord[] = [];
  let room = MAX_CONTEXT_BYTES;
  let truncated = false;
  for (const { scope, file } of found) {
    if (truncated || room === 0) {
      truncated = true;
      diagnostics.push(
        `${file.shown} was left out: the instruction files before it fill the room.`,
      );
      continue;
    }
    const content = cutUtf8(file.text, room);
    truncated = content.length < file.text.length;
    if (truncated) {
      diagnostics.push(
        `${file.shown} was cut: all files have ${MAX_CONTEXT_BYTES} bytes together.`,
      );
    }
    const included = utf8Length(content);
    room -= included;
    files.push({
      scope,
      path: file.shown,
      content,
      raw_sha256: file.rawSha256,
      original_byte_count: file.byteCount,
      included_byte_count: included,
      truncated,
    });
  }
  return { files, truncated };
}

async function findPrompt(search: Search, name: string): Promise<PromptFile | null> {
  const places = [
    ...search.projectFolders.map((folder) => projectPlace(search, folder)),
    ...search.userFolders.map((folder) => userPlace(search, folder)),
  ];
  for (const place of places) {
    const file = await findInstructionFile(place, [name]);
    if (file === null) continue;
    if (file.text.trim() !== '') return { path: file.shown, content: file.text };
    search.diagnostics.push(`${file.shown} is blank and was not taken.`);
  }
  return null;
}

function projectPlace({ root, cwd, diagnostics }: Search, folder: string) {
  const show = (path: string) => relative(cwd, path).split(sep).join('/');
  return { scope: 'project', folder, within: root, show, diagnostics } as const;
}

// Users keep their own files where they like, often behind links.
function userPlace({ home, diagnostics }: Search, folder: string) {
  const show = (path: string) =>
    `~/${relative(home ?? folder, path)
      .split(sep)
      .join('/')}`;
  return { scope: 'global', folder, within: null, show, diagnostics } as const;
}

function toJson(record: InstructionRecord): JsonValue {
  return { ...record };
}

const CANDIDATES = ['AGENTS.md', 'AGENTS.MD', 'CLAUDE.md', 'CLAUDE.MD'];
const MAX_CONTEXT_BYTES = 49_152;
const MAX_DIAGNOSTIC_BYTES = 2048;
