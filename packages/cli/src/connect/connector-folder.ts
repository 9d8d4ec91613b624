import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonValue, readJson, toPlainJson } from '@millforge/contracts';
import { makeFolder } from '@millforge/kernel/artifacts';
import { documentError, fileError, usageError } from '../cli-error.ts';
import { readInputFile, readOptionalFile } from '../documents/read-input-file.ts';
import type { ConnectorSettings } from '../port/connector-port.ts';
import { readConnectorSettings } from './connector-settings.ts';

/**
 * The files of one connector, in `.millforge/connectors/NAME`. Each is read once: what was shown and accepted is
 * what is used, whoever writes there meanwhile.
 */
export interface ConnectorFolder {
  /** Name of the folder. */
  readonly name: string;
  /** How its server is reached, and the text that says so. */
  readonly settings: ConnectorSettings;
  /** Path and text of the file that says what is started or reached. */
  readonly settingsFile: { readonly path: string; readonly text: string };
  /** Absolute path of one of its files. */
  path(file: ConnectorFile): string;
  /** Text of one of its documents; null where there is none. */
  text(file: ConnectorFile): Promise<string | null>;
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
  const texts = new Map<ConnectorFile, Promise<string | null>>();
  const textOf = (of: ConnectorFile): Promise<string | null> => {
    const known = texts.get(of);
    if (known !== undefined) return known;
    const what = of.replace('.json', '');
    const reading = readOptionalFile({ path: path(of), what, maxBytes: MAX_BYTES }).then(
      (content) => content?.toString('utf8') ?? null,
    );
    texts.set(of, reading);
    return reading;
  };
  return {
    name,
    settings: readConnectorSettings(text, file, project),
    settingsFile: { path: file, text },
    path,
    text: textOf,
    async read(of) {
      const content = await textOf(of);
      if (content === null) throw usageError(`There is no ${of} at ${path(of)}.`);
      const read = readJson(content);
      if (!read.ok) throw documentError(`${path(of)} is not valid JSON: ${read.message}`);
      return toPlainJson(read.value);
    },
    has: async (of) => (await textOf(of)) !== null,
    async write(of, document) {
      const temporary = `${path(of)}.${process.pid}.tmp`;
      const written = `${JSON.stringify(document, null, 2)}\n`;
      try {
        makeFolder(folder);
        // Whoever prepared the folder may have put a link there, which must not be followed.
        await rm(temporary, { force: true });
        await writeFile(temporary, written, { flag: 'wx' });
        await rename(temporary, path(of));
      } catch (cause) {
        await rm(temporary, { force: true });
        throw fileError(`${path(of)} cannot be written`, cause);
      }
      texts.set(of, Promise.resolve(written));
    },
  };
}

const MAX_BYTES = 67_108_864;
