import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { CompileFileRequest } from '@millforge/compiler/publish';
import type { CapabilityGrant } from '@millforge/contracts';
import type { CompileSelection } from './compile-options.ts';
import { sourceFormat } from './compile-source.ts';

/** Where a source and its output are, besides what the options say. */
export interface CompilePlaces {
  /** Directory that relative paths start from. */
  readonly cwd: string;
  /** Path of the source, as it was typed. */
  readonly source: string;
  /** Path of the output directory, absolute. */
  readonly directory: string;
  /** Capabilities granted. */
  readonly grants: readonly (string | CapabilityGrant)[];
}

/**
 * Makes the request document of a compilation: each root is the folder around the real path of what was
 * named. What does not exist is named all the same, so that the compiler says that it does not.
 */
export async function compileRequest(
  selection: CompileSelection,
  { cwd, source, directory, grants }: CompilePlaces,
): Promise<CompileFileRequest> {
  const from = await realPlace(resolve(cwd, source));
  const to = await realPlace(directory);
  return {
    request_id: selection.requestId,
    source_path: from.name,
    source_root: from.root,
    source_format: sourceFormat(source),
    output_dir: to.name,
    output_root: to.root,
    ...(selection.expectedId === null ? {} : { expected_harness_id: selection.expectedId }),
    ...(selection.stageKind === null ? {} : { stage_kind_id: selection.stageKind }),
    ...(selection.legalTerminals.length === 0
      ? {}
      : { legal_terminal_results: selection.legalTerminals }),
    capability_envelope: { grants: grants.map(envelopeGrant) },
  };
}

function envelopeGrant(
  grant: string | CapabilityGrant,
): CompileFileRequest['capability_envelope']['grants'][number] {
  if (typeof grant === 'string') return { capability_id: grant };
  const { capabilityId, constraints = null } = grant;
  return { capability_id: capabilityId, constraints };
}

async function realPlace(path: string): Promise<{ readonly root: string; readonly name: string }> {
  const real = await realpath(path).catch(() => null);
  if (real !== null) return { root: dirname(real), name: basename(real) };
  const root = dirname(path);
  return { root: await realpath(root).catch(() => root), name: basename(path) };
}
