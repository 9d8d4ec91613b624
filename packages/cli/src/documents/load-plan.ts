import { resolve } from 'node:path';
import type { CompileResult } from '@millforge/compiler';
import { type Diagnostic, MAX_PLAN_BYTES, readPlan } from '@millforge/contracts';
import { documentError } from '../arguments/usage-error.ts';
import type { CompileSelection } from './compile-options.ts';
import { type CompileSurroundings, compileSource } from './compile-source.ts';
import { readInputFile } from './read-input-file.ts';

/** A plan ready to be run, or the diagnostics of its source. */
export type LoadedPlan =
  | {
      readonly ok: true;
      readonly bytes: string;
      readonly sha256: string;
      readonly profileId: string;
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Loads the plan at a path, compiling it first when the path is a source. */
export async function loadPlan(
  path: string,
  selection: CompileSelection,
  around: CompileSurroundings,
): Promise<LoadedPlan> {
  const content = await readInputFile(resolve(around.cwd, path), 'harness or plan', MAX_PLAN_BYTES);
  if (!isPlan(content)) return fromSource(await compileSource(path, selection, around));
  const read = readPlan(content);
  if (!read.ok) {
    throw documentError(`The plan ${path} cannot be used: ${read.problems[0] ?? ''}`);
  }
  return {
    ok: true,
    bytes: content.toString('utf8'),
    sha256: read.sha256,
    profileId: read.plan.model_profile.profile_id,
  };
}

function fromSource(result: CompileResult): LoadedPlan {
  if (!result.ok) return { ok: false, diagnostics: result.diagnostics };
  return {
    ok: true,
    bytes: new TextDecoder().decode(result.bytes),
    sha256: result.sha256,
    profileId: result.plan.model_profile.profile_id,
  };
}

// A source names `millforge_harness`; only a plan can hold the other kind outside a prompt, and a
// source that quotes it is not a JSON object that begins like a plan.
function isPlan(content: Buffer): boolean {
  const text = content.toString('utf8');
  return text.startsWith('{') && text.includes('"kind":"compiled_millforge_harness"');
}
