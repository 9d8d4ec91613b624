import type { Stats } from 'node:fs';
import { type TreeFile, walkTree } from '../files/walk-tree.ts';
import { type FileDifference, type FileSide, formatPatch } from '../patch/format-patch.ts';
import type { Workspace } from '../paths/create-path-policy.ts';
import { type LogicalPath, WORKSPACE } from '../paths/logical-path.ts';
import { pathRuleOf } from '../paths/path-fault.ts';
import { toolFault } from '../tool-faults.ts';
import type { Baseline, BaselineFile } from './baseline.ts';
import { readForDiff, stampOf } from './capture-files.ts';

/** What is compared. */
export interface Comparison {
  readonly workspace: Workspace;
  readonly baseline: Baseline;
  /** Files and folders; all when empty. */
  readonly paths: readonly LogicalPath[];
  /** Stops the comparison. */
  readonly signal: AbortSignal;
}

/**
 * Compares the workspace with the beginning of the run: a unified diff that git applies, in the order of
 * the paths. New files are in it, ignored ones are not. Gives bytes, since files may be no UTF-8.
 *
 * @throws `tool/policy_denied` when the baseline does not hold the whole workspace.
 */
export async function diffWorkspace(comparison: Comparison): Promise<Buffer> {
  const { baseline, paths } = comparison;
  if (baseline.gap !== null) {
    throw toolFault(
      'policy_denied',
      `baseline_incomplete: nothing is compared, since ${baseline.gap}.`,
    );
  }
  const isMeant = (path: string): boolean =>
    paths.length === 0 ||
    paths.some(({ text }) => text === '' || path === text || path.startsWith(`${text}/`));
  const now = await changedFiles(comparison, isMeant);
  const gone = [...baseline.files].filter(([path]) => isMeant(path) && !now.seen.has(path));
  const all = [...now.changed.keys(), ...gone.map(([path]) => path)].toSorted();
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const path of all) {
    const after = now.changed.get(path) ?? null;
    const piece = formatPatch([await differenceOf(baseline, path, after)]);
    bytes += piece.length;
    if (bytes > MAX_DIFF_BYTES) {
      throw toolFault('policy_denied', 'too_large: the diff has more than 16 MiB; name paths.');
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** One file against its beginning, with the bytes that it is to have. */
export async function differenceOf(
  baseline: Baseline,
  path: string,
  after: FileSide | null,
): Promise<FileDifference> {
  const file = baseline.files.get(path);
  return { path, before: file === undefined ? null : await sideOf(baseline, path, file), after };
}

async function sideOf(baseline: Baseline, path: string, file: BaselineFile): Promise<FileSide> {
  const bytes = file.offset === null ? null : await baseline.read(path);
  return { bytes, mode: file.mode, sha256: file.sha256 };
}

async function changedFiles(
  { workspace, baseline, signal }: Comparison,
  isMeant: (path: string) => boolean,
): Promise<{
  readonly seen: ReadonlySet<string>;
  readonly changed: ReadonlyMap<string, FileSide>;
}> {
  const seen = new Set<string>();
  const changed = new Map<string, FileSide>();
  const top = await workspace.openFolder(WORKSPACE);
  for await (const listed of walkTree(top, { workspace, signal })) {
    const { path } = listed;
    if (listed.isLink || !isMeant(path)) continue;
    seen.add(path);
    const side = await changedSide(listed, baseline.files.get(path));
    if (side !== null) changed.set(path, side);
  }
  return { seen, changed };
}

/** Null for a file that is as it was, or that no tool can read. */
async function changedSide(
  listed: TreeFile,
  before: BaselineFile | undefined,
): Promise<FileSide | null> {
  try {
    const seen = before === undefined || before.stamp === null ? null : listed.look();
    if (seen !== null && before?.stamp === stampOf(seen)) return null;
    await using file = await listed.open();
    const { sha256, bytes } = await readForDiff(file);
    const isSame = before?.sha256 === sha256 && isProgram(before) === isProgram(file.stats);
    return isSame ? null : { bytes, mode: file.stats.mode & 0o777, sha256 };
  } catch (error) {
    if (pathRuleOf(error) === null) throw error;
    return null;
  }
}

function isProgram({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & 0o100) !== 0;
}

const MAX_DIFF_BYTES = 16 * 1024 * 1024;
