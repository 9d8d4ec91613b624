import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ControlGroupRoots } from './control-group.ts';

/**
 * Finds where this process may make control groups that bound memory and processes; null where it may not.
 *
 * Of the second version a group with processes in it can have no children, so the new ones stand beside
 * the own one.
 */
export async function findControlGroups(root = '/'): Promise<ControlGroupRoots | null> {
  const mounts = parseMounts(await read(join(root, 'proc/self/mountinfo')));
  const own = parseMembership(await read(join(root, 'proc/self/cgroup')));
  const memory = placeOf({ mounts, own, root }, 'memory');
  const processes = placeOf({ mounts, own, root }, 'pids');
  if (memory !== null && processes !== null) {
    const usable = (await isWritable(memory)) && (await isWritable(processes));
    if (usable) return { version: 1, memory, processes };
  }
  const unified = placeOf({ mounts, own, root }, '');
  if (unified === null) return null;
  const beside = dirname(unified);
  const enabled = (await read(join(beside, 'cgroup.subtree_control'))).split(/\s+/u);
  const isEnabled = enabled.includes('memory') && enabled.includes('pids');
  // To move a process the file of the common ancestor has to be writable too.
  const usable =
    isEnabled && (await isWritable(beside)) && (await isWritable(join(beside, PROCESSES)));
  return usable ? { version: 2, memory: beside, processes: beside } : null;
}

interface Mount {
  /** Part of the hierarchy that is mounted. */
  readonly part: string;
  readonly place: string;
  /** Controllers; an empty name for the unified hierarchy. */
  readonly controllers: readonly string[];
}

function parseMounts(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [type = '', , options = ''] = after.split(' ');
    const [, , , part = '', place = ''] = before.split(' ');
    if (type === 'cgroup2') return [{ part, place, controllers: [''] }];
    return type === 'cgroup' ? [{ part, place, controllers: options.split(',') }] : [];
  });
}

function parseMembership(text: string): ReadonlyMap<string, string> {
  const own = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, controllers, ...path] = line.split(':');
    if (controllers === undefined) continue;
    for (const controller of controllers.split(',')) own.set(controller, path.join(':'));
  }
  return own;
}

function placeOf(
  {
    mounts,
    own,
    root,
  }: {
    readonly mounts: readonly Mount[];
    readonly own: ReadonlyMap<string, string>;
    readonly root: string;
  },
  controller: string,
): string | null {
  const path = own.get(controller);
  const mount = mounts.find(({ controllers }) => controllers.includes(controller));
  if (path === undefined || mount === undefined) return null;
  if (mount.part === '/') return join(root, mount.place, path);
  const isInside = path === mount.part || path.startsWith(`${mount.part}/`);
  return isInside ? join(root, mount.place, path.slice(mount.part.length)) : null;
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function read(path: string): Promise<string> {
  // What cannot be read says nothing, and nothing is found then.
  return readFile(path, 'utf8').catch(() => '');
}

const PROCESSES = 'cgroup.procs';
