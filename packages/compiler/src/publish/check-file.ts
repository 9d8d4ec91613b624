import { join } from 'node:path';
import { MAX_PLAN_BYTES } from '@millforge/contracts';
import type { CompiledResult } from '../compile-result.ts';
import { planFileName } from '../emit/plan-file-name.ts';
import {
  admitAndCompile,
  type CompileFileInput,
  type FileTarget,
  rejected,
} from './admit-and-compile.ts';
import type { CheckFileOutcome } from './compile-file-outcome.ts';
import type { CompileFileRequest } from './compile-file-request.ts';
import { type PublishFiles, systemFiles } from './publish-files.ts';
import { readBounded } from './read-bounded.ts';

/**
 * Compiles a harness from disk and says whether its plan is in the output directory. Writes nothing.
 *
 * Asks for the same as `compileFile` and refuses the same. Never throws.
 */
export async function checkFile(
  request: CompileFileRequest,
  input: CompileFileInput,
): Promise<CheckFileOutcome> {
  const files = input.fs ?? systemFiles;
  const compiled = await admitAndCompile(request, input, files);
  if (!compiled.ok) return compiled.outcome;
  const { target } = compiled;
  return target.result.ok
    ? lookFor(target, target.result, files)
    : rejected(target, target.result).outcome;
}

async function lookFor(
  target: FileTarget,
  { plan, bytes, sha256, documentSha256, sourceSha256, diagnostics }: CompiledResult,
  files: PublishFiles,
): Promise<CheckFileOutcome> {
  const { requestId, sourcePath, requestIdentitySha256, outputDir } = target;
  const directory = join(outputDir.root, ...outputDir.parts);
  const fileName = planFileName(plan);
  const harnessId = plan.harness_id;
  const known = { requestId, sourcePath, requestIdentitySha256, harnessId, plan, sha256 };
  const outcome = {
    ...known,
    documentSha256,
    sourceSha256,
    diagnostics,
    planPath: [...outputDir.parts, fileName].join('/'),
    report: { kind: 'absent' },
  } as const;
  // What cannot be read is as good as absent here: only an equal file is the plan.
  const path = join(directory, fileName);
  const standing = await readBounded(path, MAX_PLAN_BYTES, files).catch(() => null);
  if (standing !== null && Buffer.compare(bytes, standing) === 0) {
    return { ...outcome, kind: 'current' };
  }
  const start = fileName.slice(0, fileName.indexOf('@') + 1);
  const names = await files.readdir(directory).catch(() => []);
  const found = names.filter((name) => name.startsWith(start) && PLAN_NAME.test(name)).toSorted();
  return { ...outcome, kind: found.length === 0 ? 'absent' : 'stale', found };
}

const PLAN_NAME = /@[1-9]\d*\.[0-9a-f]{64}\.compiled\.json$/;
