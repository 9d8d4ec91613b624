import { resolve } from 'node:path';
import type { CompileResult, FailedResult } from '@millforge/compiler';
import { MAX_PLAN_BYTES, readJson, readPlan } from '@millforge/contracts';
import { documentError, usageError } from '../cli-error.ts';
import type { CompileSelection } from './compile-options.ts';
import { type CompileSurroundings, compileSource } from './compile-source.ts';
import { readInputFile } from './read-input-file.ts';

/** A plan ready to be run, or what is wrong with its source. */
export type LoadedPlan = ReadyPlan | FailedResult;

/** A plan ready to be run. */
export interface ReadyPlan {
  /** There is a plan. */
  readonly ok: true;
  /** Its exact text. */
  readonly bytes: string;
  /** Its own digest. */
  readonly sha256: string;
  /** The model profile that it is made for. */
  readonly profileId: string;
}

/**
 * Loads the plan at a path, compiling it first when the path is a source.
 *
 * @throws `cli/document` for a plan that is wrong; `cli/usage` for compile options beside a plan.
 */
export async function loadPlan(
  path: string,
  selection: CompileSelection,
  around: CompileSurroundings,
): Promise<LoadedPlan> {
  const content = await readInputFile({
    path: resolve(around.cwd, path),
    what: 'harness or plan',
    maxBytes: MAX_PLAN_BYTES,
  });
  const text = content.toString('utf8');
  const kind = kindOf(text);
  const use = kind === null ? undefined : OTHER_DOCUMENTS.get(kind);
  if (use !== undefined) {
    throw documentError(`${path} is a ${kind}, neither a harness nor a plan; ${use}.`);
  }
  if (kind !== 'compiled_millforge_harness')
    return fromSource(await compileSource(path, selection, around));
  if (selection.given.length > 0) {
    throw usageError(
      `${path} is a plan, which is compiled already; --${selection.given[0] ?? ''} goes with a source.`,
    );
  }
  const read = readPlan(content);
  if (!read.ok) {
    throw documentError(`The plan ${path} cannot be used: ${read.problems[0] ?? ''}`);
  }
  return {
    ok: true,
    bytes: text,
    sha256: read.sha256,
    profileId: read.plan.model_profile.profile_id,
  };
}

function fromSource(result: CompileResult): LoadedPlan {
  if (!result.ok) return result;
  return {
    ok: true,
    bytes: new TextDecoder().decode(result.bytes),
    sha256: result.sha256,
    profileId: result.plan.model_profile.profile_id,
  };
}

/** What a JSON document says it is; null for anything else. */
function kindOf(text: string): string | null {
  if (!text.startsWith('{')) return null;
  const read = readJson(text);
  const value = read.ok ? read.value : null;
  if (typeof value !== 'object' || value === null || !('kind' in value)) return null;
  const { kind } = value;
  return typeof kind === 'string' ? kind : null;
}

/** Documents that stand beside a harness and are easily taken for it, and what each is for. */
const OTHER_DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ['model_script', '--model scripted:FILE lets it stand for a model'],
  ['tool_catalog', '--catalog FILE takes it'],
  ['model_profile_catalog', '--profiles FILE takes it'],
  ['millforge_config', 'it is read where it stands'],
]);
