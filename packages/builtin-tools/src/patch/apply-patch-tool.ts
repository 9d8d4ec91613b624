import { digest, type JsonObject, type LiveToolContext, type Tool } from '@millforge/contracts';
import { stringArgument } from '../arguments.ts';
import type { OnEffect } from '../builtin-tool-options.ts';
import { defineBuiltinTool, STRING, STRINGS } from '../define-builtin-tool.ts';
import { type FileChange, prepareChanges, reconcileChanges } from '../files/file-changes.ts';
import { takeTurns } from '../files/file-turns.ts';
import type { PathPolicy, Workspace, WriteTarget } from '../paths/create-path-policy.ts';
import { shown } from '../paths/path-fault.ts';
import { checking, refusing } from '../tool-faults.ts';
import { applyPatch, patchPaths } from './apply-patch.ts';
import { formatPatch } from './format-patch.ts';
import { parsePatch } from './parse-patch.ts';

/** Makes the tool that applies a unified diff: to all files that it names, or to none. */
export function applyPatchTool(policy: PathPolicy, onEffect?: OnEffect): Tool {
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
    prepare: (input, context) => refusing(() => prepare(input, context, { policy, onEffect })),
    reconcile: (_input, context) => reconcileChanges(policy, context),
  });
}

async function prepare(
  input: JsonObject,
  context: LiveToolContext,
  tool: { readonly policy: PathPolicy; readonly onEffect: OnEffect | undefined },
) {
  const { policy, onEffect } = tool;
  const files = parsePatch(stringArgument(input, 'patch'));
  const paths = patchPaths(files);
  await using workspace = await policy.openWorkspace(context.workspace);
  const places = await readTargets(workspace, policy, paths);
  const keys = [...places.values()].map(({ path }) => `${context.workspace}\0${path}`);
  const release = await takeTurns(keys, context.signal);
  try {
    const targets = await readTargets(workspace, policy, paths);
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
      data: { status: 'success', summary, changed_paths: changed, diff_sha256: diffOf(changes) },
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
  for (const path of paths) {
    targets.set(path, await workspace.readTarget(policy.checkWrite(path), { makesFolders: true }));
  }
  return targets;
}

/** Digest of the diff that the call makes, as text. */
function diffOf(changes: readonly FileChange[]): string {
  const differences = changes
    .map(({ target, bytes, mode }) => ({
      path: target.path,
      before: target.found,
      after: bytes === null ? null : { bytes, mode: mode ?? target.found?.mode ?? 0o644 },
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return digest(formatPatch(differences).toString());
}
