import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { documentError, systemCode, usageError } from '../cli-error.ts';
import type { Environment } from '../config/places.ts';
import type { ConnectorFolder } from './connector-folder.ts';

/**
 * Looks at what a server needs before it is started, so that what is missing is told by its key and not by the
 * silence of a program.
 *
 * @throws `cli/document` naming file, key and path; `cli/usage` for a variable that is not set.
 */
export async function checkServer(folder: ConnectorFolder, env: Environment): Promise<void> {
  const { transport } = folder.settings;
  if (transport.kind === 'http') {
    assertSet(transport.tokenEnv === null ? [] : [transport.tokenEnv], folder, env);
    return;
  }
  const fault = (key: string, path: string, reason: string): Error =>
    documentError(
      `${folder.settingsFile.path} is wrong at /transport/${key}: ${path} ${reason}; name one that is there.`,
    );
  if (!(await stat(transport.folder).catch(() => null))?.isDirectory()) {
    throw fault('folder', transport.folder, 'is no folder');
  }
  const reason = await accessFault(transport.command, constants.X_OK);
  if (reason !== null) throw fault('command', transport.command, reason);
  for (const path of transport.pinnedFiles) {
    const unreadable = await accessFault(path, constants.R_OK);
    if (unreadable !== null) throw fault('pinned_files', path, unreadable);
  }
  assertSet(Object.values(transport.secrets), folder, env);
}

function assertSet(variables: readonly string[], { name }: ConnectorFolder, env: Environment) {
  const unset = variables.find((variable) => (env[variable] ?? '') === '');
  if (unset === undefined) return;
  throw usageError(
    `The variable ${unset} is not set, and the server of ${name} is given it; set it and try again.`,
  );
}

/** Why a file cannot be used so; null where it can. */
async function accessFault(path: string, mode: number): Promise<string | null> {
  try {
    await access(path, mode);
    return (await stat(path)).isFile() ? null : 'is no file';
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'does not exist';
    return mode === constants.X_OK ? 'cannot be executed' : 'cannot be read';
  }
}
