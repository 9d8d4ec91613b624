import { basename, extname, resolve } from 'node:path';
import {
  type CompileResult,
  compileHarness,
  toModelProfileCatalog,
  toToolCatalog,
} from '@millforge/compiler';
import {
  type CatalogLookup,
  type CompilerIdentity,
  type ModelProfileCatalog,
  readJson,
  type ToolCatalog,
  type ToolCatalogEntry,
  toPlainJson,
} from '@millforge/contracts';
import { usageError } from '../arguments/usage-error.ts';
import type { CompileSelection } from './compile-options.ts';
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
  readonly grants: readonly string[];
}

/** Compiles the source at a path. */
export async function compileSource(
  path: string,
  selection: CompileSelection,
  around: CompileSurroundings,
): Promise<CompileResult> {
  const file = resolve(around.cwd, path);
  const content = await readInputFile(file, 'harness', MAX_SOURCE_BYTES);
  return compileHarness(content, {
    catalog: await catalogOf(selection, around),
    profiles: await profilesOf(selection, around),
    request: {
      requestId: selection.requestId,
      format: extname(file).toLowerCase() === '.json' ? 'json' : 'yaml',
      logicalPath: basename(file),
      grants: around.grants,
      ...(selection.expectedId === null ? {} : { expectedHarnessId: selection.expectedId }),
      ...(selection.stageKind === null ? {} : { stageKindId: selection.stageKind }),
      ...(selection.legalTerminals.length === 0
        ? {}
        : { legalTerminalResults: selection.legalTerminals }),
    },
    ...(selection.identity === null ? {} : { identity: identityOf(selection.identity) }),
  });
}

async function catalogOf(
  selection: CompileSelection,
  around: CompileSurroundings,
): Promise<ToolCatalog> {
  if (selection.catalogs.length === 0) return around.catalog;
  const catalogs = await Promise.all(
    selection.catalogs.map(async (path) =>
      toToolCatalog(
        (
          await readInputFile(resolve(around.cwd, path), 'tool catalog', MAX_CATALOG_BYTES)
        ).toString('utf8'),
      ),
    ),
  );
  const [only] = catalogs;
  return catalogs.length === 1 && only !== undefined ? only : joined(catalogs);
}

function joined(catalogs: readonly ToolCatalog[]): ToolCatalog {
  const [first] = catalogs;
  return {
    snapshotId: first?.snapshotId ?? '',
    snapshotSha256: first?.snapshotSha256 ?? '',
    resolveExact(toolId, toolVersion): CatalogLookup<ToolCatalogEntry> {
      let answer: CatalogLookup<ToolCatalogEntry> = { classification: 'missing' };
      for (const catalog of catalogs) {
        answer = catalog.resolveExact(toolId, toolVersion);
        if (answer.classification !== 'missing') return answer;
      }
      return answer;
    },
  };
}

async function profilesOf(
  selection: CompileSelection,
  around: CompileSurroundings,
): Promise<ModelProfileCatalog> {
  if (selection.profiles !== null) {
    const path = resolve(around.cwd, selection.profiles);
    const content = await readInputFile(path, 'profile catalog', MAX_CATALOG_BYTES);
    return toModelProfileCatalog(content.toString('utf8'));
  }
  return around.profileIds === null ? ANY_PROFILE : toModelProfileCatalog(around.profileIds);
}

function identityOf(text: string): CompilerIdentity {
  const read = readJson(text);
  const value = read.ok ? toPlainJson(read.value) : null;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { name, version, build_id, ...rest } = value as { readonly [key: string]: unknown };
    if (
      typeof name === 'string' &&
      typeof version === 'string' &&
      typeof build_id === 'string' &&
      Object.keys(rest).length === 0
    ) {
      return { name, version, build_id };
    }
  }
  throw usageError(
    `--compiler-identity must be JSON like {"name":"…","version":"…","build_id":"…"}.`,
  );
}

const ANY_PROFILE: ModelProfileCatalog = {
  snapshotId: '0'.repeat(64),
  snapshotSha256: '0'.repeat(64),
  resolveExact: (profileId) => ({ classification: 'found', entry: { profile_id: profileId } }),
};

/** Bytes of a harness source; one more is refused by the parser itself. */
const MAX_SOURCE_BYTES = 1_048_576;
const MAX_CATALOG_BYTES = 8 * 1_048_576;
