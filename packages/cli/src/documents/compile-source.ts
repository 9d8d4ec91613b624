import { basename, extname, resolve } from 'node:path';
import {
  type CompileInput,
  type CompileResult,
  compileHarness,
  type ListedToolCatalog,
  toModelProfileCatalog,
  toToolCatalog,
} from '@millforge/compiler';
import {
  type CapabilityGrant,
  type CompilerIdentity,
  digest,
  formatToolReference,
  MillforgeError,
  type ModelProfileCatalog,
  readJson,
  type ToolCatalog,
  type ToolCatalogEntry,
  toPlainJson,
} from '@millforge/contracts';
import { documentError, usageError } from '../cli-error.ts';
import type { CompileSelection } from './compile-options.ts';
import type { ReportedRequest } from './compile-report.ts';
import { readInputFile } from './read-input-file.ts';

/** What a compilation takes from around it. */
export interface CompileSurroundings {
  /** Directory that relative paths start from. */
  readonly cwd: string;
  /** Tools that ship. */
  readonly catalog: ToolCatalog;
  /** Profile ids of the configuration, or null to accept whatever name the harness states. */
  readonly profileIds: readonly string[] | null;
  /** Capabilities granted. */
  readonly grants: readonly (string | CapabilityGrant)[];
}

/**
 * Compiles the source at a path.
 *
 * @throws `cli/usage` for a file that cannot be read; `cli/document` for a wrong catalog.
 */
export async function compileSource(
  path: string,
  selection: CompileSelection,
  around: CompileSurroundings,
): Promise<CompileResult> {
  const file = resolve(around.cwd, path);
  const content = await readInputFile({
    path: file,
    what: 'harness',
    maxBytes: MAX_SOURCE_BYTES,
  });
  return compileHarness(content, {
    ...(await readCompileInput(selection, around)),
    request: {
      requestId: selection.requestId,
      format: sourceFormat(file),
      logicalPath: basename(file),
      grants: around.grants,
      ...(selection.expectedId === null ? {} : { expectedHarnessId: selection.expectedId }),
      ...(selection.stageKind === null ? {} : { stageKindId: selection.stageKind }),
      ...(selection.legalTerminals.length === 0
        ? {}
        : { legalTerminalResults: selection.legalTerminals }),
    },
  });
}

/**
 * Reads the catalogs that the options name, and the identity that they give.
 *
 * @throws `cli/usage` for a file that cannot be read or a wrong identity; `cli/document` for a wrong catalog.
 */
export async function readCompileInput(
  selection: CompileSelection,
  around: Omit<CompileSurroundings, 'grants'>,
): Promise<Pick<CompileInput, 'catalog' | 'profiles' | 'identity'>> {
  return {
    catalog: await catalogOf(selection, around),
    profiles: await profilesOf(selection, around),
    ...(selection.identity === null ? {} : { identity: identityOf(selection.identity) }),
  };
}

/** The request of a compilation, as its result names it. */
export function reportedRequest(path: string, selection: CompileSelection): ReportedRequest {
  return { requestId: selection.requestId, sourcePath: basename(path) };
}

/** Notation of a source, by the ending of its name alone; the parser says what does not fit. */
export function sourceFormat(file: string): 'yaml' | 'json' {
  return extname(file).toLowerCase() === '.json' ? 'json' : 'yaml';
}

async function catalogOf(
  selection: CompileSelection,
  around: Omit<CompileSurroundings, 'grants'>,
): Promise<ToolCatalog> {
  if (selection.catalogs.length === 0) return around.catalog;
  const catalogs: ListedToolCatalog[] = [];
  for (const path of selection.catalogs) {
    const text = await catalogText(path, 'tool catalog', around);
    catalogs.push(inFile(path, () => toToolCatalog(text)));
  }
  const [only] = catalogs;
  return catalogs.length === 1 && only !== undefined ? only : joined(catalogs);
}

function joined(catalogs: readonly ListedToolCatalog[]): ListedToolCatalog {
  const byReference = new Map<string, ToolCatalogEntry>();
  for (const entry of catalogs.flatMap(({ entries }) => entries)) {
    const reference = referenceOf(entry.tool_id, entry.tool_version);
    if (byReference.has(reference)) {
      throw documentError(`Two catalogs have the tool ${reference}; leave it out of one.`);
    }
    byReference.set(reference, entry);
  }
  const snapshot = digest(catalogs.map(({ snapshotSha256 }) => snapshotSha256));
  return {
    entries: [...byReference.values()],
    snapshotId: snapshot,
    snapshotSha256: snapshot,
    resolveExact(toolId, toolVersion) {
      const entry = byReference.get(referenceOf(toolId, toolVersion));
      return entry === undefined
        ? { classification: 'missing' }
        : { classification: 'found', entry };
    },
  };
}

function referenceOf(toolId: string, toolVersion: number): string {
  return formatToolReference({ toolId, toolVersion });
}

async function profilesOf(
  selection: CompileSelection,
  around: Omit<CompileSurroundings, 'grants'>,
): Promise<ModelProfileCatalog> {
  const path = selection.profiles;
  if (path !== null) {
    const text = await catalogText(path, 'profile catalog', around);
    return inFile(path, () => toModelProfileCatalog(text));
  }
  return around.profileIds === null ? ANY_PROFILE : toModelProfileCatalog(around.profileIds);
}

async function catalogText(
  path: string,
  what: string,
  { cwd }: Pick<CompileSurroundings, 'cwd'>,
): Promise<string> {
  const file = { path: resolve(cwd, path), what, maxBytes: MAX_CATALOG_BYTES };
  const content = await readInputFile(file);
  if (content.length > MAX_CATALOG_BYTES) {
    throw documentError(`The ${what} ${path} is larger than ${MAX_CATALOG_BYTES} bytes; split it.`);
  }
  return content.toString('utf8');
}

function inFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!MillforgeError.is(cause, 'compiler/invalid-catalog')) throw cause;
    throw documentError(`${path} cannot be used: ${cause.message}`, cause);
  }
}

function identityOf(text: string): CompilerIdentity {
  const read = readJson(text);
  const value = read.ok ? toPlainJson(read.value) : null;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { name, version, build_id, ...rest } = value as { readonly [key: string]: unknown };
    const isComplete = isFilled(name) && isFilled(version) && isFilled(build_id);
    if (isComplete && Object.keys(rest).length === 0) return { name, version, build_id };
  }
  throw usageError(
    `--compiler-identity must be JSON like {"name":"…","version":"…","build_id":"…"}.`,
  );
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

const ANY_PROFILE: ModelProfileCatalog = {
  snapshotId: '0'.repeat(64),
  snapshotSha256: '0'.repeat(64),
  resolveExact: (profileId) => ({ classification: 'found', entry: { profile_id: profileId } }),
};

/** Bytes of a harness source; one more is refused by the parser itself. */
const MAX_SOURCE_BYTES = 1_048_576;
const MAX_CATALOG_BYTES = 8 * 1_048_576;
