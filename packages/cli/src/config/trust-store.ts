import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonValue, readJson, sha256, toPlainJson } from '@millforge/contracts';
import { makeFolder } from '@millforge/kernel/artifacts';
import { fileError } from '../cli-error.ts';

/** Which project configurations a person has vouched for: path and digest, in the user's data. */
export interface TrustStore {
  /** Whether exactly these bytes at this path were accepted. */
  isTrusted(file: string, text: string): Promise<boolean>;
  /**
   * Records that these bytes at this path are accepted; another digest replaces the old one.
   *
   * @throws `cli/file` when the record cannot be written.
   */
  accept(file: string, text: string): Promise<void>;
}

/** Opens the store in a data directory; nothing is created before something is accepted. */
export function openTrustStore(dataDirectory: string): TrustStore {
  const path = join(dataDirectory, 'trust.json');
  return {
    async isTrusted(file, text) {
      return (await readEntries(path)).get(file) === sha256(text);
    },
    async accept(file, text) {
      const entries = await readEntries(path);
      entries.set(file, sha256(text));
      try {
        makeFolder(dataDirectory, 0o700);
        await replaceFile(path, document(entries));
      } catch (cause) {
        throw fileError(`What was accepted cannot be recorded in ${path}`, cause);
      }
    },
  };
}

function document(entries: ReadonlyMap<string, string>): string {
  const accepted = [...entries]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, digest]) => ({ path: file, sha256: digest }));
  return `${JSON.stringify(
    { kind: 'millforge_trust', schema_version: '1.0', accepted },
    null,
    2,
  )}\n`;
}

// A store that cannot be read vouches for nothing: fail closed.
async function readEntries(path: string): Promise<Map<string, string>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return new Map();
  }
  const read = readJson(text);
  if (!read.ok) return new Map();
  const value = toPlainJson(read.value);
  const accepted: JsonValue | undefined =
    typeof value === 'object' && value !== null && 'accepted' in value ? value['accepted'] : [];
  const entries = new Map<string, string>();
  if (!Array.isArray(accepted)) return entries;
  for (const item of accepted as readonly JsonValue[]) {
    if (typeof item !== 'object' || item === null || !('path' in item)) continue;
    const { path: file, sha256: digest } = item;
    if (typeof file === 'string' && typeof digest === 'string') entries.set(file, digest);
  }
  return entries;
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
