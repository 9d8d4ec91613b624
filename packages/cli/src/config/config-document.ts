import {
  isDottedId,
  type JsonObject,
  type JsonValue,
  readJson,
  toPlainJson,
} from '@millforge/contracts';
import { type ModelProfile, readModelProfile } from '@millforge/models';
import { documentError } from '../cli-error.ts';

/** A configuration file: `{"kind":"millforge_config","schema_version":"1.0",…}`. */
export interface ConfigDocument {
  /** Reference of the model: a profile id, `URL#MODEL` or `scripted:FILE`. */
  readonly model: string | null;
  /** Environment variable that holds the key for `model`. */
  readonly apiKeyEnv: string | null;
  /** Named models. */
  readonly profiles: readonly ModelProfile[];
  /** Capabilities granted to runs. */
  readonly grants: readonly string[];
  /** Data directory. */
  readonly data: string | null;
}

/** A configuration that says nothing. */
export const EMPTY_CONFIG: ConfigDocument = Object.freeze({
  model: null,
  apiKeyEnv: null,
  profiles: [],
  grants: [],
  data: null,
});

/**
 * Reads a configuration file's text; every key is known and of the right type, or it is refused.
 *
 * @throws `cli/document` naming the file, the key and what was expected.
 */
export function readConfigDocument(text: string, file: string): ConfigDocument {
  const read = readJson(text);
  if (!read.ok) throw documentError(`${file} is not valid JSON: ${read.message}`);
  const value = toPlainJson(read.value);
  if (!isObject(value)) throw wrong(file, '/', 'an object');
  for (const key of Object.keys(value)) {
    if (!KEYS.has(key)) {
      throw documentError(
        `${file} has an unknown key '${key.slice(0, 40)}'; the keys are ${[...KEYS].join(', ')}.`,
      );
    }
  }
  if (value['kind'] !== 'millforge_config') throw wrong(file, '/kind', "'millforge_config'");
  if (value['schema_version'] !== '1.0') throw wrong(file, '/schema_version', "'1.0'");
  return {
    model: optionalText(value, 'model', file),
    apiKeyEnv: optionalText(value, 'api_key_env', file),
    data: optionalText(value, 'data', file),
    grants: grantsOf(value['grants'], file),
    profiles: profilesOf(value['profiles'], file),
  };
}

function profilesOf(value: JsonValue | undefined, file: string): readonly ModelProfile[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong(file, '/profiles', 'a list');
  return value.map((item: JsonValue, index: number) => {
    const read = readModelProfile(item);
    if (read.ok) return read.profile;
    const [problem] = read.problems;
    throw documentError(
      `${file} is wrong at /profiles/${index}${problem?.path ?? ''}: ${problem?.message ?? ''}`,
    );
  });
}

function grantsOf(value: JsonValue | undefined, file: string): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong(file, '/grants', 'a list of capability ids');
  return value.map((item: JsonValue, index: number) => {
    if (typeof item !== 'string' || !isDottedId(item)) {
      throw wrong(file, `/grants/${index}`, 'a capability id such as unrestricted.filesystem.read');
    }
    return item;
  });
}

function optionalText(value: JsonObject, key: string, file: string): string | null {
  const text = value[key];
  if (text === undefined) return null;
  if (typeof text !== 'string' || text.trim() === '') throw wrong(file, `/${key}`, 'a text');
  return text;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(file: string, path: string, expected: string): Error {
  return documentError(`${file} is wrong at ${path}: expected ${expected}.`);
}

const KEYS: ReadonlySet<string> = new Set([
  'kind',
  'schema_version',
  'model',
  'api_key_env',
  'profiles',
  'grants',
  'data',
]);
