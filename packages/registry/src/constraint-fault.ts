import type { CapabilityConstraints, ToolReach } from '@millforge/contracts';
import { coversFolder, matchPathGlob } from './match-path-glob.ts';

/**
 * The kind of constraint that a call goes beyond, or null.
 *
 * A kind that is constrained and that the tool says nothing about counts as gone beyond. Paths are compared
 * as they are written, made absolute and freed of `..`; where a link leads is for the tool to look at.
 */
export function constraintFault(
  reach: ToolReach,
  constraints: CapabilityConstraints,
  workspace: string | null,
): keyof CapabilityConstraints | null {
  const { paths, hosts, commands, max_bytes } = constraints;
  if (!isEvery(reach.paths, paths, (glob, path) => isPathAllowed(glob, path, workspace))) {
    return 'paths';
  }
  if (!isEvery(reach.hosts, hosts, isHostAllowed)) return 'hosts';
  if (!isEvery(reach.commands, commands, isCommandAllowed)) return 'commands';
  // Anything that is no number of bytes is not below the bound.
  const bytes = reach.bytes ?? Number.NaN;
  return max_bytes === undefined || (bytes >= 0 && bytes <= max_bytes) ? null : 'max_bytes';
}

/** Whether everything that is reached is allowed by some entry; what nobody bounds is. */
function isEvery(
  reached: readonly string[] | undefined,
  allowed: readonly string[] | undefined,
  isAllowed: (entry: string, one: string) => boolean,
): boolean {
  if (allowed === undefined) return true;
  return reached?.every((one) => allowed.some((entry) => isAllowed(entry, one))) === true;
}

/** A path that ends in a slash stands for a folder and all that is below it. */
function isPathAllowed(glob: string, path: string, workspace: string | null): boolean {
  const absolute = toAbsolute(path, workspace);
  if (absolute === null) return false;
  const matches = path.endsWith('/') ? coversFolder : matchPathGlob;
  if (glob.startsWith('/')) return matches(glob, absolute);
  if (workspace === null) return false;
  const root = toAbsolute(workspace, null) ?? '';
  const isInside = absolute === root || absolute.startsWith(root === '/' ? root : `${root}/`);
  return isInside && matches(glob, absolute.slice(root.length));
}

/** Null for a relative path without a folder that it would be relative to. */
function toAbsolute(path: string, workspace: string | null): string | null {
  if (!path.startsWith('/') && workspace === null) return null;
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${workspace}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function isHostAllowed(entry: string, host: string): boolean {
  const name = host.toLowerCase();
  if (!entry.startsWith('*.')) return name === entry;
  const suffix = entry.slice(1);
  // `evil.io/.example.com` ends rightly, and leads elsewhere once it is put into an address.
  return name.endsWith(suffix) && LABELS.test(name.slice(0, -suffix.length));
}

/** The part of a name of a host that a wildcard stands for. */
const LABELS = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

function isCommandAllowed(entry: string, command: string): boolean {
  if (command === entry) return true;
  if (!entry.endsWith(' *')) return false;
  const prefix = entry.slice(0, -1);
  return command.startsWith(prefix) && !INTERPRETED.test(command.slice(prefix.length));
}

/** What lets a shell do more than call the command with these arguments. */
const INTERPRETED = /[;&|`$()<>\n\r\0]/;
