import { randomUUID } from 'node:crypto';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { McpLoginStore } from '@millforge/connector-mcp';
import { sha256 } from '@millforge/contracts';
import { makeFolder } from '@millforge/kernel/artifacts';
import { homeOf } from '../platform.ts';

/**
 * Where the login of one service is kept: in the user's configuration, one file each, readable by the user alone.
 * No run, project or sandbox has that folder.
 */
export function openLoginStore(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): McpLoginStore {
  // An empty HOME counts as none: the password database still knows the user's folder.
  const config = env['XDG_CONFIG_HOME'] || join(homeOf(env), '.config');
  const folder = join(config, 'millforge', 'logins');
  const file = join(folder, `${sha256(url)}.json`);
  return {
    async read() {
      try {
        return await readFile(file, 'utf8');
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
    async write(text) {
      const temporary = `${file}.${randomUUID()}.tmp`;
      try {
        makeFolder(folder, 0o700);
        await chmod(folder, 0o700);
        await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
        await rename(temporary, file);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}
