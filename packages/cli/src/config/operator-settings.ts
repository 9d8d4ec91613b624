import type { JsonObject, JsonValue } from '@millforge/contracts';
import type { CommandProfile, OperatorSettings } from '../port/operator-settings.ts';

/** Settings that set up nothing. */
export const NO_SETTINGS: OperatorSettings = Object.freeze({
  testProfiles: {},
  checkProfiles: {},
  protectedPaths: [],
});

/** Makes the error for what is wrong at a place of a document. */
export type WrongAt = (path: string, expected: string) => Error;

/**
 * Reads `commands` and `protected_paths` of a configuration file:
 * `{"tests":{"unit":{"argv":["npm","test"],"timeout_seconds":300}},"checks":{…}}`.
 *
 * @throws what `wrong` makes, for the first thing that is wrong.
 */
export function readOperatorSettings(document: JsonObject, wrong: WrongAt): OperatorSettings {
  const at = (value: JsonValue, path: string): Place => ({ value, path, wrong });
  const commands = objectAt(at(document['commands'] ?? {}, '/commands'), ['checks', 'tests']);
  return {
    testProfiles: profilesAt(at(commands['tests'] ?? {}, '/commands/tests')),
    checkProfiles: profilesAt(at(commands['checks'] ?? {}, '/commands/checks')),
    protectedPaths: textsAt(at(document['protected_paths'] ?? [], '/protected_paths')),
  };
}

/** Settings of several files, the strongest first: its commands win, every protected path counts. */
export function mergeOperatorSettings(all: readonly OperatorSettings[]): OperatorSettings {
  const weakestFirst = all.toReversed();
  return {
    testProfiles: Object.assign({}, ...weakestFirst.map((one) => one.testProfiles)),
    checkProfiles: Object.assign({}, ...weakestFirst.map((one) => one.checkProfiles)),
    protectedPaths: [...new Set(all.flatMap((one) => one.protectedPaths))],
  };
}

/** A value at a place of the document. */
interface Place {
  readonly value: JsonValue;
  readonly path: string;
  readonly wrong: WrongAt;
}

function profilesAt(place: Place): Readonly<Record<string, CommandProfile>> {
  const { path, wrong } = place;
  const profiles = Object.entries(objectAt(place)).map(([name, value]) => {
    if (!PROFILE_NAME.test(name)) throw wrong(path, 'names of 1 to 64 of A-Z a-z 0-9 . _ -');
    return [name, profileAt({ ...place, value, path: `${path}/${name}` })] as const;
  });
  return Object.fromEntries(profiles);
}

function profileAt(place: Place): CommandProfile {
  const { path, wrong } = place;
  const profile = objectAt(place, ['argv', 'environment', 'max_output_bytes', 'timeout_seconds']);
  const inner = (key: string, fallback: JsonValue): Place => ({
    ...place,
    value: profile[key] ?? fallback,
    path: `${path}/${key}`,
  });
  const argv = textsAt(inner('argv', []));
  if (argv.length === 0) throw wrong(`${path}/argv`, 'a program and its arguments');
  const variables = Object.entries(objectAt(inner('environment', {}))).map(([name, text]) => {
    if (typeof text !== 'string') throw wrong(`${path}/environment/${name}`, 'a text');
    return [name, text] as const;
  });
  const timeoutSeconds = countAt(inner('timeout_seconds', null), 1800);
  const maxOutputBytes = countAt(inner('max_output_bytes', null), 60_000);
  return {
    argv,
    environment: Object.fromEntries(variables),
    ...(timeoutSeconds === null ? {} : { timeoutSeconds }),
    ...(maxOutputBytes === null ? {} : { maxOutputBytes }),
  };
}

function objectAt({ value, path, wrong }: Place, keys?: readonly string[]): JsonObject {
  if (!isObject(value)) throw wrong(path, 'an object');
  const unknown = Object.keys(value).some((key) => keys?.includes(key) === false);
  if (unknown) throw wrong(path, `no keys but ${keys?.join(', ')}`);
  return value;
}

function textsAt({ value, path, wrong }: Place): readonly string[] {
  if (!Array.isArray(value)) throw wrong(path, 'a list of texts');
  return value.map((item: JsonValue) => {
    if (typeof item === 'string' && item !== '' && !item.includes('\0')) return item;
    throw wrong(path, 'a list of texts');
  });
}

function countAt({ value, path, wrong }: Place, most: number): number | null {
  if (value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) {
    return value;
  }
  throw wrong(path, `an integer from 1 to ${most}`);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const PROFILE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
