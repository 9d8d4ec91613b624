import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The user's configuration file. */
export function userConfigFile(env: Environment): string {
  return join(env['XDG_CONFIG_HOME'] || join(home(env), '.config'), 'millforge', 'config.json');
}

/** The data directory when nothing names another. */
export function defaultDataDirectory(env: Environment): string {
  return join(env['XDG_STATE_HOME'] || join(home(env), '.local', 'state'), 'millforge');
}

/** The configuration file of a project. */
export function projectConfigFile(directory: string): string {
  return join(resolve(directory), '.millforge', 'config.json');
}

/**
 * The project that a harness or a plan belongs to: the folder of the file where it has a configuration, else
 * the current folder, from which a plan that was put elsewhere is used.
 */
export function projectOf(file: string, cwd: string): string {
  const folder = dirname(resolve(cwd, file));
  return existsSync(projectConfigFile(folder)) ? folder : cwd;
}

// An empty HOME counts as none: the password database still knows the user's folder.
function home(env: Environment): string {
  return env['HOME'] || passwordHome();
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
