import { rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { makeFolder } from '@millforge/kernel/artifacts';
import { fileError, systemCode, usageError } from '../cli-error.ts';
import { readTrustDirectory } from '../config/effective-config.ts';
import { openTrustStore } from '../config/trust-store.ts';
import { ownName } from '../output/own-name.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { findData } from './data-place.ts';
import {
  CONFIG_PATH,
  CONFIG_TEXT,
  INSTALLED_SCHEMA,
  type ScaffoldFile,
  scaffoldFiles,
} from './scaffold.ts';

/** Scaffolds a harness, its grants, a configuration and an example that runs offline. */
export const initCommand: Command = {
  command: 'init',
  positionals: ['dir?'],
  summary: 'scaffold a harness, its grants, a config and a runnable example',
  example: 'millforge init my-agent',
  options: {
    data: { value: 'DIR', help: 'data directory in which the new configuration is trusted' },
  },
  async run({ host }, args) {
    const directory = resolve(host.cwd, args.positionals[0] ?? '.');
    const data = await findData(host, args);
    // The person at the keyboard asked for this file; a later change of it asks again.
    const store = openTrustStore(await readTrustDirectory(args.text('data'), host));
    const files = scaffoldFiles({
      isSchemaInstalled: await isThere(join(directory, INSTALLED_SCHEMA)),
    });
    for (const { path } of files) await refuseExisting(join(directory, path));
    await writeAll(directory, files);
    await store.accept(join(directory, CONFIG_PATH), CONFIG_TEXT);
    for (const { path } of files) {
      const file = join(directory, path);
      writeLine(host.stdout, `created ${relative(host.cwd, file) || file}`);
    }
    const where = relative(host.cwd, directory);
    // A relative data directory is another one from inside the project.
    const flag = data.flag === '' ? '' : ` --data ${relative(directory, data.directory)}`;
    writeLine(host.stdout, '');
    writeLine(host.stdout, 'Try it offline, with the scripted model of the configuration:');
    writeLine(
      host.stdout,
      `  ${where === '' ? '' : `cd ${where} && `}${ownName(host.env)} run harness.yaml --task "Greet the reader."${flag}`,
    );
    writeLine(host.stdout, 'Then with a real one: --model http://127.0.0.1:11434/v1#qwen3:8b');
    return 0;
  },
};

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function refuseExisting(file: string): Promise<void> {
  try {
    await stat(file);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'ENOENT') return;
    throw usageError(
      `${file} cannot be made (${code ?? 'unknown reason'}); choose another directory.`,
      cause,
    );
  }
  throw usageError(
    `${file} exists; choose another directory or move it away. Nothing was written.`,
  );
}

/** Writes all files or none. */
async function writeAll(directory: string, files: readonly ScaffoldFile[]): Promise<void> {
  const written: string[] = [];
  try {
    for (const { path, text } of files) {
      const file = join(directory, path);
      makeFolder(dirname(file));
      await writeFile(file, text, { flag: 'wx' });
      written.push(file);
    }
  } catch (cause) {
    for (const file of written) await rm(file, { force: true });
    throw fileError(`The project in ${directory} cannot be written`, cause);
  }
}
