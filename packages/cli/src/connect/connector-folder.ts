import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonValue, readJson, toPlainJson } from '@millforge/contracts';
import { makeFolder } from '@millforge/kernel/artifacts';
import { documentError, fileError, usageError } from '../cli-error.ts';
import { readInputFile, readOptionalFile } from '../documents/read-input-file.ts';
import type { ConnectorSettings } from '../millforge-port.ts';
import { readConnectorSettings } from './connector-settings.ts';

/** The files of one connector, in `.millforge/connectors/NAME`. */
export interface ConnectorFolder {
  /** Name of the folder. */
  readonly name: string;
  /** How its server is reached, and the text that says so. */
  readonly settings: ConnectorSettings;
  /** Path and text of the file that says what is started or reached. */
  readonly settingsFile: { readonly path: string; readonly text: string };
  /** Absolute path of one of its files. */
  path(file: ConnectorFile): string;
  /** Reads one of its documents. */
  read(file: ConnectorFile): Promise<JsonValue>;
  /** Whether it has one of its documents. */
  has(file: ConnectorFile): Promise<boolean>;
  /** Writes one of its documents so that it reads well in a review. */
  write(file: ConnectorFile, document: object): Promise<void>;
}

/** Names of a connector's documents. */
export type ConnectorFile =
  | 'discovery.json'
  | 'manifest.json'
  | 'policy.json'
  | 'proposals.json'
  | 'admission.json';

/** The folder of all connectors of a project. */
export function connectorsFolder(project: string): string {
  return join(project, '.millforge', 'connectors');
}

/**
 * Opens the folder of a connector; nothing is written.
 *
 * @throws `cli/usage` for a name without a folder; `cli/document` for settings that are wrong.
 */
export async function openConnectorFolder(project: string, name: string): Promise<ConnectorFolder> {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw usageError(
      `'${name.slice(0, 40)}' is no name of a connector; expected letters, digits, . _ -`,
    );
  }
  const folder = join(connectorsFolder(project), name);
  const file = join(folder, 'connector.json');
  const text = (
    await readInputFile({ path: file, what: 'connector', maxBytes: MAX_BYTES })
  ).toString('utf8');
  const path = (of: ConnectorFile): string => join(folder, of);
  return {
    name,
    settings: readConnectorSettings(text, file, project),
    settingsFile: { path: file, text },
    path,
    async read(of) {
      const what = of.replace('.json', '');
      const content = await readInputFile({ path: path(of), what, maxBytes: MAX_BYTES });
      const read = readJson(content.toString('utf8'));
      if (!read.ok) throw documentError(`${path(of)} is not valid JSON: ${read.message}`);
      return toPlainJson(read.value);
    },
    async has(of) {
      return (await readOptionalFile({ path: path(of), what: of, maxBytes: MAX_BYTES })) !== null;
    },
    async write(of, document) {
      const temporary = `${path(of)}.${process.pid}.tmp`;
      try {
        makeFolder(folder);
        await writeFile(temporary, `${JSON.stringify(document, null, 2)}\n`);
        await rename(temporary, path(of));
      } catch (cause) {
        await rm(temporary, { force: true });
        throw fileError(`${path(of)} cannot be written`, cause);
      }
    },
  };
}

const MAX_BYTES = 67_108_864;
