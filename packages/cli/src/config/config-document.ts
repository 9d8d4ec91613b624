import {
  type CapabilityGrant,
  type JsonObject,
  type JsonValue,
  readCapabilityGrant,
  readJson,
  toPlainJson,
} from '@millforge/contracts';
import { type ModelProfile, readModelProfile } from '@millforge/models';
import { type ApprovalPolicy, readApprovalPolicy } from '@millforge/registry';
import { documentError } from '../cli-error.ts';
import type { OperatorSettings } from '../port/operator-settings.ts';
import { NO_SETTINGS, readOperatorSettings } from './operator-settings.ts';

/** A configuration file: `{"kind":"millforge_config","schema_version":"1.0",…}`. */
export interface ConfigDocument {
  /** Reference of the model: a profile id, `URL#MODEL` or `scripted:FILE`. */
  readonly model: string | null;
  /** Environment variable that holds the key for `model`. */
  readonly apiKeyEnv: string | null;
  /** Named models. */
  readonly profiles: readonly ModelProfile[];
  /** Capabilities granted to runs, by id or with constraints. */
  readonly grants: readonly (string | CapabilityGrant)[];
  /** What becomes of calls that somebody may have to agree to; null when nothing is said. */
  readonly approvals: ApprovalPolicy | null;
  /** Proxy for servers that are not this machine: a URL, `environment`, `none`, or null when nothing is said. */
  readonly proxy: string | null;
  /** Data directory. */
  readonly data: string | null;
  /** Commands and protected paths of the built-in tools. */
  readonly settings: OperatorSettings;
}

/** A configuration that says nothing. */
export const EMPTY_CONFIG: ConfigDocument = Object.freeze({
  model: null,
  apiKeyEnv: null,
  profiles: [],
  grants: [],
  approvals: null,
  proxy: null,
  data: null,
  settings: NO_SETTINGS,
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
    proxy: optionalText(value, 'proxy', file),
    data: optionalText(value, 'data', file),
    grants: grantsOf(value['grants'], file),
    approvals: approvalsOf(value['approvals'], file),
    profiles: profilesOf(value['profiles'], file),
    settings: readOperatorSettings(value, (path, expected) => wrong(file, path, expected)),
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

function grantsOf(value: JsonValue | undefined, file: string): ConfigDocument['grants'] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong(file, '/grants', 'a list of capability ids');
  return value.map((item: JsonValue, index: number) => {
    const read = readCapabilityGrant(item);
    if (read.ok) return read.grant;
    throw wrong(file, `/grants/${index}${read.path}`, read.expected);
  });
}

/** The file has a kind and a version of its own, so the policy in it states neither. */
function approvalsOf(value: JsonValue | undefined, file: string): ApprovalPolicy | null {
  if (value === undefined) return null;
  if (!isObject(value)) throw wrong(file, '/approvals', 'an object with rules');
  const read = readApprovalPolicy({ rules: [], ...value, ...POLICY });
  if (read.ok) return read.policy;
  throw wrong(file, `/approvals${read.path}`, read.expected);
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

const POLICY = { kind: 'approval_policy', schema_version: '1.0' } as const;
const KEYS: ReadonlySet<string> = new Set([
  'kind',
  'schema_version',
  'model',
  'api_key_env',
  'profiles',
  'grants',
  'approvals',
  'proxy',
  'data',
  'commands',
  'protected_paths',
]);
