import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type JsonValue, readJson, toPlainJson } from '@millforge/contracts';
import { documentError, usageError } from '../cli-error.ts';
import type { TrustStore } from '../config/trust-store.ts';
import { readInputFile, readOptionalFile } from '../documents/read-input-file.ts';
import type { CustomToolSourceFile } from '../port/custom-tools-port.ts';

/** The custom tools of a project: manifests, and the policy that says what they may be. */
export interface CustomToolsFolder {
  /** Absolute path. */
  readonly path: string;
  /** The manifests, by name. */
  readonly manifests: readonly CustomToolSourceFile[];
  /** The policy. */
  readonly policy: JsonValue;
  /** Text of the policy, by which it is trusted. */
  readonly policyText: string;
}

/**
 * Reads `.millforge/tools` of a project; null where there are no manifests.
 *
 * @throws `cli/usage` for a file that cannot be read, or manifests without a policy; `cli/document` for a policy
 * that is no JSON.
 */
export async function readCustomToolsFolder(project: string): Promise<CustomToolsFolder | null> {
  const path = join(project, '.millforge', 'tools');
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isFile() && entry.name !== POLICY && FORMATS.has(extname(entry.name)))
    .map(({ name }) => name)
    .toSorted();
  if (names.length === 0) return null;
  const manifests = await Promise.all(
    names.map(async (name): Promise<CustomToolSourceFile> => {
      const file = { path: join(path, name), what: 'custom tools', maxBytes: MAX_BYTES };
      const content = (await readInputFile(file)).toString('utf8');
      return { path: file.path, content, format: FORMATS.get(extname(name)) ?? 'yaml' };
    }),
  );
  const place = join(path, POLICY);
  const found = await readOptionalFile({ path: place, what: 'policy', maxBytes: MAX_BYTES });
  if (found === null) {
    throw usageError(
      `There is no policy at ${place}; it says what the tools beside it may be: {"allowed_capability_ids":[],"allowed_runtime_kinds":["sandboxed_js"]}.`,
    );
  }
  const policyText = found.toString('utf8');
  const read = readJson(policyText);
  if (!read.ok) throw documentError(`${place} is not valid JSON: ${read.message}`);
  return { path, manifests, policy: toPlainJson(read.value), policyText };
}

/** Whether exactly these manifests, under this policy, were accepted. */
export async function areCustomToolsTrusted(
  folder: CustomToolsFolder,
  store: TrustStore,
): Promise<boolean> {
  const accepted = filesOf(folder).map(({ path, text }) => store.isTrusted(path, text));
  return (await Promise.all(accepted)).every(Boolean);
}

/** Records that these manifests, under this policy, were accepted. */
export async function acceptCustomTools(
  folder: CustomToolsFolder,
  store: TrustStore,
): Promise<void> {
  for (const { path, text } of filesOf(folder)) await store.accept(path, text);
}

function filesOf({ path, manifests, policyText }: CustomToolsFolder) {
  return [
    { path: join(path, POLICY), text: policyText },
    ...manifests.map(({ path: file, content }) => ({ path: file, text: content })),
  ];
}

const POLICY = 'policy.json';
const FORMATS: ReadonlyMap<string, 'yaml' | 'json'> = new Map([
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
  ['.json', 'json'],
]);
const MAX_BYTES = 4_194_304;
