import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { millforgeError } from './millforge-error.ts';

/** Refuses to run where processes and file locks behave differently; looking is allowed everywhere. */
export function assertSupportedPlatform(platform: NodeJS.Platform): void {
  if (platform !== 'win32') return;
  throw millforgeError(
    'millforge/unsupported-platform',
    'Millforge runs on Linux, macOS and WSL; on native Windows it only compiles and inspects. Use WSL.',
  );
}

/** The data directory when nobody names another. */
export function defaultDataDir(env: Readonly<Record<string, string | undefined>>): string {
  return join(env['XDG_STATE_HOME'] || join(homeOf(env), '.local', 'state'), 'millforge');
}

/** The user's folder. An empty HOME counts as none: the password database still knows it. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOME'] || passwordHome();
}

/** The user of this process, as it stands in a trail. */
export function processActor(): string {
  return `${userName()}@${hostname()}`;
}

// A user id without a password entry (common in containers) has no name.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

// What the system says of HOME is the variable itself, empty as it may be.
function passwordHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // A user without a password entry; there a folder of nobody is named in what is refused.
    return '/';
  }
}
