import { isAbsolute, resolve } from 'node:path';
import { type JsonObject, type JsonValue, readJson, toPlainJson } from '@millforge/contracts';
import { documentError } from '../cli-error.ts';
import type { ConnectorLoginSettings, ConnectorSettings } from '../port/connector-port.ts';

/**
 * Reads how a connector's server is reached: `{"kind":"millforge_connector","schema_version":"1.0",…}`.
 *
 * @throws `cli/document` naming the file, the key and what was expected.
 */
export function readConnectorSettings(
  text: string,
  file: string,
  project: string,
): ConnectorSettings {
  const read = readJson(text);
  if (!read.ok) throw documentError(`${file} is not valid JSON: ${read.message}`);
  const fields = new Fields(toPlainJson(read.value), file, '');
  fields.only(['kind', 'schema_version', 'connector_id', 'transport']);
  if (fields.text('kind') !== 'millforge_connector')
    throw fields.wrong('kind', "'millforge_connector'");
  if (fields.text('schema_version') !== '1.0') throw fields.wrong('schema_version', "'1.0'");
  return {
    connectorId: fields.text('connector_id'),
    transport: readTransport(fields.object('transport'), project),
  };
}

function readTransport(fields: Fields, project: string): ConnectorSettings['transport'] {
  switch (fields.text('kind')) {
    case 'stdio': {
      fields.only(STDIO_KEYS);
      const folder = fields.optional('folder') ?? '.';
      const command = fields.text('command');
      if (!isAbsolute(command)) throw fields.wrong('command', 'an absolute path');
      const pinned = fields.texts('pinned_files');
      return {
        kind: 'stdio',
        name: fields.text('name'),
        version: fields.optional('version'),
        command,
        args: fields.texts('args'),
        folder: resolve(project, folder),
        environment: fields.map('environment'),
        secrets: fields.map('secrets'),
        pinnedFiles: pinned.length === 0 ? [command] : pinned.map((path) => resolve(project, path)),
      };
    }
    case 'http':
      fields.only(HTTP_KEYS);
      return {
        kind: 'http',
        name: fields.text('name'),
        version: fields.text('version'),
        url: fields.text('url'),
        tokenEnv: fields.optional('token_env'),
        login: readLoginSettings(fields),
        allowPrivateAddresses: fields.flag('allow_private_addresses'),
        allowPlainHttp: fields.flag('allow_plain_http'),
      };
    default:
      throw fields.wrong('kind', 'stdio or http');
  }
}

function readLoginSettings(fields: Fields): ConnectorLoginSettings | null {
  if (fields.isAbsent('login')) return null;
  if (fields.optional('token_env') !== null) throw fields.wrong('login', 'no token_env beside it');
  const login = fields.object('login');
  login.only(['authorization_server', 'client_id', 'scope']);
  return {
    authorizationServer: login.optional('authorization_server'),
    clientId: login.optional('client_id'),
    scope: login.optional('scope'),
  };
}

/** The fields of one object of a file. */
class Fields {
  readonly #value: JsonObject;
  readonly #file: string;
  readonly #path: string;

  constructor(value: JsonValue, file: string, path: string) {
    if (!isObject(value))
      throw documentError(`${file} is wrong at ${path || '/'}: expected an object.`);
    this.#value = value;
    this.#file = file;
    this.#path = path;
  }

  only(known: readonly string[]): void {
    const stray = Object.keys(this.#value).find((key) => !known.includes(key));
    if (stray !== undefined) throw this.wrong(stray.slice(0, 40), `one of ${known.join(', ')}`);
  }

  text(key: string): string {
    const text = this.optional(key);
    if (text === null) throw this.wrong(key, 'a text');
    return text;
  }

  optional(key: string): string | null {
    const value = this.#value[key];
    if (value === undefined || value === null) return null;
    if (typeof value !== 'string' || value.trim() === '') throw this.wrong(key, 'a text');
    return value;
  }

  isAbsent(key: string): boolean {
    return (this.#value[key] ?? null) === null;
  }

  flag(key: string): boolean {
    const value = this.#value[key] ?? false;
    if (typeof value !== 'boolean') throw this.wrong(key, 'true or false');
    return value;
  }

  texts(key: string): readonly string[] {
    const value = this.#value[key] ?? [];
    const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null;
    if (texts === null || texts.length !== (value as readonly JsonValue[]).length) {
      throw this.wrong(key, 'a list of texts');
    }
    return texts;
  }

  map(key: string): Readonly<Record<string, string>> {
    const value = this.#value[key] ?? {};
    if (!isObject(value)) throw this.wrong(key, 'an object of texts');
    const entries = Object.entries(value).map(([name, text]): [string, string] => {
      if (typeof text !== 'string' || !/^[A-Za-z_]\w*$/.test(name)) {
        throw this.wrong(key, 'texts by the names of variables');
      }
      return [name, text];
    });
    return Object.fromEntries(entries);
  }

  object(key: string): Fields {
    return new Fields(this.#value[key] ?? null, this.#file, `${this.#path}/${key}`);
  }

  wrong(key: string, expected: string): Error {
    return documentError(`${this.#file} is wrong at ${this.#path}/${key}: expected ${expected}.`);
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const STDIO_KEYS = [
  'kind',
  'name',
  'version',
  'command',
  'args',
  'folder',
  'environment',
  'secrets',
  'pinned_files',
];
const HTTP_KEYS = [
  'kind',
  'name',
  'version',
  'url',
  'token_env',
  'login',
  'allow_private_addresses',
  'allow_plain_http',
];
