import type { Stats } from 'node:fs';
import { mkdir, readlink } from 'node:fs/promises';
import { entryPath, type Folder, lookAt, openChild } from './folder.ts';
import { childPath, type LogicalPath } from './logical-path.ts';
import { errnoOf, pathFault, shown, systemFault } from './path-fault.ts';

/** Where a path leads: an entry, which need not exist, of a folder that is held open. */
export interface FoundEntry {
  /** The folder that holds it. */
  readonly folder: Folder;
  /** Name in that folder; null for the workspace itself, which is then `folder`. */
  readonly name: string | null;
  /** Path behind all links, inside the workspace. */
  readonly path: string;
  /** What is there, never a link; null for nothing. */
  readonly stats: Stats | null;
  /** Whether the last part of the path was a link. */
  readonly isLinked: boolean;
  /** Closes every folder that was opened on the way. */
  close(): Promise<void>;
}

/** How a path is walked. */
export interface WalkOptions {
  /** Makes missing folders on the way; told before each. */
  readonly onMissingFolder?: (path: string) => void;
}

/**
 * Follows a path from an open folder, part by part, each through the folder before it. Links are read and
 * followed here and not by the system, so that no exchange of an entry leads out of the workspace.
 *
 * @throws `path/…`; everything that was opened is closed then.
 */
export async function walkPath(
  top: Folder,
  path: LogicalPath,
  options: WalkOptions = {},
): Promise<FoundEntry> {
  const walk = new Walk(top, path, options);
  try {
    return await walk.follow();
  } catch (error) {
    await walk.close();
    throw error;
  }
}

/** One walk: the folders that are open, from the workspace down, and the parts that are left. */
class Walk {
  readonly #top: Folder;
  readonly #path: LogicalPath;
  readonly #options: WalkOptions;
  readonly #open: Folder[] = [];
  #left: string[];
  #links = 0;
  #isLinked = false;

  constructor(top: Folder, path: LogicalPath, options: WalkOptions) {
    this.#top = top;
    this.#path = path;
    this.#options = options;
    this.#left = [...path.parts];
  }

  async follow(): Promise<FoundEntry> {
    for (;;) {
      const name = this.#left.shift();
      if (name === undefined) return this.#found(null, await this.#folder.handle.stat());
      if (name === '..') {
        await this.#leave();
        continue;
      }
      const stats = await lookAt(this.#folder, name);
      if (stats?.isSymbolicLink() === true) {
        await this.#followLink(name);
      } else if (this.#left.length === 0) {
        return this.#found(name, stats);
      } else {
        await this.#enter(name, stats);
      }
    }
  }

  async close(): Promise<void> {
    for (const folder of this.#open.splice(0)) await folder.handle.close();
  }

  get #folder(): Folder {
    return this.#open[this.#open.length - 1] ?? this.#top;
  }

  async #enter(name: string, seen: Stats | null): Promise<void> {
    const stats = seen ?? (await this.#makeFolder(name));
    if (!stats.isDirectory()) {
      throw pathFault('not_a_folder', `${shown(childPath(this.#folder.path, name))} is no folder.`);
    }
    this.#open.push(await openChild(this.#folder, name, stats));
  }

  async #makeFolder(name: string): Promise<Stats> {
    const path = childPath(this.#folder.path, name);
    if (this.#options.onMissingFolder === undefined) {
      throw pathFault('not_found', `the folder ${shown(path)} does not exist.`);
    }
    this.#options.onMissingFolder(path);
    try {
      await mkdir(entryPath(this.#folder, name), 0o777);
    } catch (error) {
      // Somebody else may have made it meanwhile.
      if (errnoOf(error) !== 'EEXIST') throw systemFault(error, path);
    }
    const stats = await lookAt(this.#folder, name);
    if (stats !== null) return stats;
    throw pathFault('not_found', `the folder ${shown(path)} does not exist.`);
  }

  async #leave(): Promise<void> {
    const folder = this.#open.pop();
    if (folder === undefined) throw this.#outside();
    await folder.handle.close();
  }

  async #followLink(name: string): Promise<void> {
    if (++this.#links > MAX_LINKS) {
      throw pathFault('link_loop', `${shown(this.#path.text)} leads through too many links.`);
    }
    const target = await readlink(entryPath(this.#folder, name)).catch((error: unknown) => {
      if (errnoOf(error) === 'EINVAL') {
        throw pathFault('changed', `${shown(this.#path.text)} was replaced meanwhile; try again.`);
      }
      throw systemFault(error, childPath(this.#folder.path, name));
    });
    if (this.#left.length === 0) this.#isLinked = true;
    const inside = target.startsWith('/') ? await this.#fromTop(target) : target;
    this.#left = [...partsOf(inside), ...this.#left];
  }

  /** An absolute link counts when it names the workspace by the path that the operator gave. */
  async #fromTop(target: string): Promise<string> {
    const top = this.#top.hostPath;
    if (target !== top && !target.startsWith(top === '/' ? top : `${top}/`)) throw this.#outside();
    await this.close();
    return target.slice(top.length);
  }

  #found(name: string | null, stats: Stats | null): FoundEntry {
    const folder = this.#folder;
    return {
      folder,
      name,
      path: name === null ? folder.path : childPath(folder.path, name),
      stats,
      isLinked: this.#isLinked,
      close: () => this.close(),
    };
  }

  #outside(): Error {
    return pathFault('outside', `${shown(this.#path.text)} leads out of the workspace by a link.`);
  }
}

function partsOf(target: string): readonly string[] {
  return target.split('/').filter((part) => part !== '' && part !== '.');
}

const MAX_LINKS = 40;
