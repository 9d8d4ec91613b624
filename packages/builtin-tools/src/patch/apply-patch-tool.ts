import { digest, type JsonObject, type LiveToolContext, type Tool } from '@millforge/contracts';
import { optionalString, stringArgument } from '../arguments.ts';
import type { Baseline } from '../baseline/baseline.ts';
import { differenceOf, diffWorkspace } from '../baseline/diff-workspace.ts';
import type { FindRun } from '../builtin-run.ts';
import { defineBuiltinTool, STRING, STRINGS } from '../define-builtin-tool.ts';
import { type FileChange, prepareChanges, reconcileChanges } from '../files/file-changes.ts';
import { takeTurns } from '../files/file-turns.ts';
import type { OnEffect } from '../on-effect.ts';
import type { PathPolicy, Workspace, WriteTarget } from '../paths/create-path-policy.ts';
import { pathFault, shown } from '../paths/path-fault.ts';
import { checking, refusing, toolFault } from '../tool-faults.ts';
import { applyPatch, patchPaths } from './apply-patch.ts';
import { type FileDifference, formatPatch } from './format-patch.ts';
import { parsePatch } from './parse-patch.ts';

/** What the tool of patches needs. */
export interface PatchToolParts {
  readonly policy: PathPolicy;
  readonly findRun: FindRun;
  readonly onEffect: OnEffect | undefined;
}

/** Makes the tool that applies a unified diff: to all files that it names, or to none. */
export function applyPatchTool(tool: PatchToolParts): Tool {
  const { policy } = tool;
  return defineBuiltinTool({
    idEnd: 'workspace.apply_patch',
    name: 'apply_workspace_patch',
    description:
      'Change files of the workspace by a unified diff, as "git diff" prints it: change, create (from /dev/null), delete (to /dev/null), rename, also in new folders. All files are changed or none. The lines of each hunk must be those of the file.',
    properties: { patch: STRING, expected_base_sha256: STRING },
    required: ['patch'],
    results: { changed_paths: STRINGS, diff_sha256: STRING },
    requiredResults: ['changed_paths', 'diff_sha256'],
    sideEffect: 'workspace_write',
    idempotency: 'idempotent_with_key',
    capabilities: ['workspace.write'],
    check: (input) =>
      checking(() => {
        for (const path of patchPaths(parsePatch(stringArgument(input, 'patch')))) {
          policy.checkWrite(path);
        }
      }),
    reach(input) {
      const patch = stringArgument(input, 'patch');
      const paths = patchPaths(parsePatch(patch)).map((path) => policy.checkWrite(path).text);
      return { paths, bytes: Buffer.byteLength(patch) };
    },
    prepare: (input, context) => refusing(() => prepare(input, context, tool)),
    reconcile: (_input, context) => reconcileChanges(policy, context),
  });
}

async function prepare(input: JsonObject, context: LiveToolContext, tool: PatchToolParts) {
  const { policy, findRun, onEffect } = tool;
  const baseline = findRun(context.runId)?.baseline ?? null;
  const files = parsePatch(stringArgument(input, 'patch'));
  const paths = patchPaths(files);
  await using workspace = await policy.openWorkspace(context.workspace);
  const places = [...(await readTargets(workspace, policy, paths)).values()].map(
    ({ path }) => path,
  );
  const keys = places.map((path) => `${context.workspace}\0${path}`);
  const release = await takeTurns(keys, context.signal);
  try {
    const targets = await readTargets(workspace, policy, paths);
    await assertBase(input, baseline, { workspace, targets, signal: context.signal });
    const originals = new Map([...targets].map(([path, { found }]) => [path, found]));
    const changes = applyPatch(files, originals).flatMap(({ path, bytes, mode }) => {
      const target = targets.get(path);
      return target === undefined ? [] : [{ target, bytes, mode }];
    });
    const changed = changes.map(({ target }) => target.path).toSorted();
    const summary = `changed ${changed.length} files: ${changed.map(shown).join(', ')}`;
    return prepareChanges({
      policy,
      root: context.workspace,
      changes,
      text: summary,
      data: {
        status: 'success',
        summary,
        changed_paths: changed,
        diff_sha256: await diffAfter(changes, baseline),
      },
      onEffect,
      release,
    });
  } catch (error) {
    release();
    throw error;
  }
}

async function readTargets(
  workspace: Workspace,
  policy: PathPolicy,
  paths: readonly string[],
): Promise<ReadonlyMap<string, WriteTarget>> {
  const targets = new Map<string, WriteTarget>();
  let bytes = 0;
  for (const path of paths) {
    const target = await workspace.readTarget(policy.checkWrite(path), { makesFolders: true });
    bytes += target.found?.bytes.length ?? 0;
    if (bytes > MAX_PATCHED_BYTES) {
      throw pathFault('too_large', 'the files of the patch have more than 128 MiB together.');
    }
    targets.set(path, target);
  }
  return targets;
}

/**
 * Holds the condition on what was changed before: the digest of the whole diff, or that of these files.
 *
 * @throws `tool/conflict` when it is another one, or the beginning of the run is not known.
 */
async function assertBase(
  input: JsonObject,
  baseline: Baseline | null,
  found: {
    readonly workspace: Workspace;
    readonly targets: ReadonlyMap<string, WriteTarget>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const expected = optionalString(input, 'expected_base_sha256');
  if (expected === null) return;
  if (baseline === null) {
    throw toolFault('conflict', 'baseline_missing: the beginning of this run was not captured.');
  }
  const { workspace, signal } = found;
  const those = [...found.targets.values()].map(({ asked }) => asked);
  for (const paths of [[], those]) {
    const diff = await diffWorkspace({ workspace, baseline, paths, signal });
    if (digest(diff.toString()) === expected) return;
  }
  const message = 'expected_base_sha256: the workspace has changed since; read its diff again.';
  throw toolFault('conflict', message);
}

/** Digest of the diff of these files as the call leaves them, since the run began or since the call. */
async function diffAfter(
  changes: readonly FileChange[],
  baseline: Baseline | null,
): Promise<string> {
  const differences: FileDifference[] = [];
  for (const { target, bytes, mode } of changes) {
    const { path, found } = target;
    const after = bytes === null ? null : { bytes, mode: mode ?? found?.mode ?? 0o644 };
    differences.push(
      baseline === null
        ? { path, before: found, after }
        : await differenceOf(baseline, path, after),
    );
  }
  const sorted = differences.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return digest(formatPatch(sorted).toString());
}

/** All of them are held in memory, before and after. */
const MAX_PATCHED_BYTES = 128 * 1024 * 1024;
