import { type FileContent, readContent } from './file-content.ts';
import { type Folder, openTop } from './folder.ts';
import { type LogicalPath, readLogicalPath } from './logical-path.ts';
import { type OpenedFile, openEntry } from './open-file.ts';
import { openListedFile } from './open-listed-file.ts';
import { pathFault, shown } from './path-fault.ts';
import { guardWrites, type ProtectedPathOptions } from './protected-paths.ts';
import {
  assertReplaceable,
  type Replacement,
  readFound,
  removeTemporary,
  replaceEntry,
} from './replace-entry.ts';
import { type FoundEntry, walkPath } from './walk-path.ts';

/** What the operator allows of a workspace. */
export interface PathPolicyOptions extends ProtectedPathOptions {
  /**
   * Whether files with further names are read: one of the names may lie outside, but package managers
   * also link files this way. Default `read`. Replacing such a file leaves its other names as they are.
   */
  readonly hardLinks?: 'read' | 'refuse';
}

/** Which paths may be read and written, and the only way to files that holds to it. */
export interface PathPolicy {
  /**
   * Checks a path by its text alone; pure.
   *
   * @throws `path/<rule>`.
   */
  checkRead(path: unknown, options?: { readonly allowDot?: boolean }): LogicalPath;
  /**
   * Checks a path that is to be written by its text alone; pure.
   *
   * @throws `path/<rule>`.
   */
  checkWrite(path: unknown): LogicalPath;
  /**
   * Opens a workspace; dispose of it.
   *
   * @throws `path/workspace` when it is no folder, or missing.
   */
  openWorkspace(hostPath: string | null): Promise<Workspace>;
}

/** An open workspace. Every method throws `path/<rule>` for what it refuses. */
export interface Workspace extends AsyncDisposable {
  /** Opens a regular file for reading; dispose of it. */
  openFile(path: LogicalPath): Promise<OpenedFile>;
  /** Reads a regular file whole, at most 64 MiB. */
  readFile(path: LogicalPath): Promise<FileContent>;
  /** Opens a file that was found before, unless it has become another one; dispose of it. */
  openFound(entry: FoundEntry): Promise<OpenedFile>;
  /** Opens a file that the listing of an open folder names, synchronously; dispose of it. */
  openListed(folder: Folder, name: string): OpenedFile;
  /** Opens a folder, or the folder of a file; close it. */
  openFolder(path: LogicalPath): Promise<FoundEntry>;
  /** Looks at the place of a file that is to be written, changed or removed; changes nothing. */
  readTarget(path: LogicalPath, options?: TargetOptions): Promise<WriteTarget>;
  /** Replaces, makes or removes the file of a target, if it is as it was found. */
  writeTarget(target: WriteTarget, change: WriteChange): Promise<void>;
  /** Removes what an interrupted `writeTarget` with that key may have left beside the file. */
  cleanTarget(target: WriteTarget, key: string): Promise<void>;
}

/** The place of a file, as it was looked at. */
export interface WriteTarget {
  /** The path as it was asked for. */
  readonly asked: LogicalPath;
  /** Path behind all links, inside the workspace. */
  readonly path: string;
  /** The file; null when there is none. */
  readonly found: FileContent | null;
  /** Whether its folder is missing too. */
  readonly lacksFolder: boolean;
}

/** How a target is looked at. */
export interface TargetOptions {
  /** Whether missing folders on the way are made when it is written; default false: they are refused. */
  readonly makesFolders?: boolean;
}

/** What becomes of a target. */
export type WriteChange = Omit<Replacement, 'found'>;

/** Makes the policy of a workspace. */
export function createPathPolicy(options: PathPolicyOptions = {}): PathPolicy {
  const guard = guardWrites(options);
  const policy: PathPolicy = {
    checkRead: readLogicalPath,
    checkWrite(path) {
      const logical = readLogicalPath(path);
      guard(logical);
      return logical;
    },
    async openWorkspace(hostPath) {
      if (hostPath === null) throw pathFault('workspace', 'this run has no workspace.');
      const top = await openTop(hostPath);
      return workspace(top, {
        guard: (path) => guard({ text: path, parts: path.split('/') }),
        refusesHardLinks: options.hardLinks === 'refuse',
      });
    },
  };
  return Object.freeze(policy);
}

interface Rules {
  readonly guard: (path: string) => void;
  readonly refusesHardLinks: boolean;
}

function workspace(top: Folder, rules: Rules): Workspace {
  const openFile = (path: LogicalPath): Promise<OpenedFile> =>
    visiting(walkPath(top, path), (entry) => openEntry(entry, rules));
  return {
    openFile,
    async readFile(path) {
      await using file = await openFile(path);
      return await readContent(file);
    },
    openFound: (entry) => openEntry(entry, rules),
    openListed: (folder, name) => openListedFile(folder, name, rules),
    openFolder: (path) => walkPath(top, path),
    readTarget: (path, options = {}) =>
      visiting(walkToTarget(top, path, options), async (entry) => {
        if (entry === null) {
          return { asked: path, path: path.text, found: null, lacksFolder: true };
        }
        assertWritable(entry, path, rules);
        await assertReplaceable(entry);
        const found = await readFound(entry);
        return { asked: path, path: entry.path, found, lacksFolder: false };
      }),
    writeTarget: (target, change) =>
      visiting(
        walkPath(top, target.asked, target.lacksFolder ? { onMissingFolder: rules.guard } : {}),
        async (entry) => {
          assertWritable(entry, target.asked, rules);
          if (entry.path !== target.path) {
            throw pathFault('changed', `${shown(target.asked.text)} leads elsewhere by now.`);
          }
          await replaceEntry(entry, { ...change, found: target.found });
        },
      ),
    cleanTarget: (target, key) =>
      visiting(walkToTarget(top, target.asked, { makesFolders: true }), async (entry) => {
        if (entry !== null) await removeTemporary(entry, key);
      }),
    [Symbol.asyncDispose]: () => top.handle.close(),
  };
}

/** The entry of a target; null when its folder is missing and will be made. */
async function walkToTarget(
  top: Folder,
  path: LogicalPath,
  { makesFolders = false }: TargetOptions,
): Promise<FoundEntry | null> {
  try {
    return await walkPath(top, path);
  } catch (error) {
    if (makesFolders && isMissingFolder(error)) return null;
    throw error;
  }
}

function isMissingFolder(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'path/not_found';
}

function assertWritable(entry: FoundEntry, asked: LogicalPath, { guard }: Rules): void {
  // A link may lead to what its own name hides.
  guard(entry.path);
  if (entry.stats === null && entry.isLinked) {
    throw pathFault('dangling_link', `${shown(asked.text)} is a link to nothing.`);
  }
}

async function visiting<Entry extends FoundEntry | null, T>(
  walking: Promise<Entry>,
  visit: (entry: Entry) => Promise<T>,
): Promise<T> {
  const entry = await walking;
  try {
    return await visit(entry);
  } finally {
    await entry?.close();
  }
}
