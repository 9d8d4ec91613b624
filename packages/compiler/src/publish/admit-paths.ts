import { dirname, join } from 'node:path';
import { type Diagnostic, unreachable } from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import type { CompileFileRequest } from './compile-file-request.ts';
import { errorCode, systemFault } from './error-code.ts';
import type { PublishFiles } from './publish-files.ts';
import { relativeParts } from './relative-path.ts';

/** A path below a root, the root without links. */
export interface AdmittedPath {
  /** The root, without links. */
  readonly root: string;
  /** The parts below it. */
  readonly parts: readonly string[];
}

/** Where the source is and where the output goes, or everything that speaks against it. */
export type AdmittedPaths =
  | { readonly ok: true; readonly source: AdmittedPath; readonly output: AdmittedPath }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Looks at the paths of a request, one by one; all findings are collected. */
export async function admitPaths(
  request: CompileFileRequest,
  files: PublishFiles,
): Promise<AdmittedPaths> {
  const found: Diagnostic[] = [];
  const sourceParts = relativeParts(request.source_path);
  if (sourceParts === null) found.push(report.sourceOutside(PATH_RULE));
  const outputParts = relativeParts(request.output_dir);
  if (outputParts === null) found.push(report.outputOutside(PATH_RULE));
  const outputRoot = await admitRoot(request.output_root, files, {
    missing: report.outputRootMissing,
    notDirectory: report.outputRootNotDirectory,
  });
  if (!outputRoot.ok) found.push(outputRoot.diagnostic);
  const sourceRoot = await admitRoot(request.source_root, files, {
    missing: report.sourceRootMissing,
    notDirectory: report.sourceRootNotDirectory,
  });
  if (!sourceRoot.ok) found.push(sourceRoot.diagnostic);
  const output =
    outputRoot.ok && outputParts !== null ? { root: outputRoot.root, parts: outputParts } : null;
  if (output !== null) {
    const fault = await findOutputFault(output, files);
    if (fault !== null) found.push(outputDiagnostic(fault, request.output_dir));
  }
  const source =
    sourceRoot.ok && sourceParts !== null ? { root: sourceRoot.root, parts: sourceParts } : null;
  if (source !== null && (await leadsOutside(source, files))) {
    found.push(report.sourceOutside({ path: '/', hint: 'A symbolic link leads out of it.' }));
  }
  return source !== null && output !== null && found.length === 0
    ? { ok: true, source, output }
    : { ok: false, diagnostics: found };
}

/** What can be wrong with the directory that output goes to. */
export type OutputFault =
  | { readonly kind: 'outside' | 'not-directory' }
  | { readonly kind: 'missing' | 'not-admitted'; readonly errorCode: string };

/** What is wrong with an output directory at the moment, or null. */
export async function findOutputFault(
  { root, parts }: AdmittedPath,
  files: PublishFiles,
): Promise<OutputFault | null> {
  const path = join(root, ...parts);
  try {
    if (!isInside(root, await files.realpath(dirname(path)))) return { kind: 'outside' };
  } catch (error) {
    return { kind: 'missing', errorCode: errorCode(error) };
  }
  try {
    const status = await files.lstat(path, { bigint: true });
    // The containment of a link is told first: outside of the root nothing is said about what is there.
    if (!isInside(root, await files.realpath(path))) return { kind: 'outside' };
    return status.isDirectory() ? null : { kind: 'not-directory' };
  } catch (error) {
    const code = errorCode(error);
    const isMissing = code === 'ENOENT' && !(await exists(path, files));
    return { kind: isMissing ? 'missing' : 'not-admitted', errorCode: code };
  }
}

/** Reports whether a path without links is a root or below it. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

function outputDiagnostic(fault: OutputFault, outputDir: string): Diagnostic {
  switch (fault.kind) {
    case 'outside':
      return report.outputOutside({ path: '/', hint: 'A symbolic link leads out of it.' });
    case 'not-directory':
      return report.outputNotDirectory({
        path: '/',
        hint: 'Give a directory itself, not a file or a link.',
        fields: { output_dir: outputDir },
      });
    case 'missing':
      return report.outputMissing(systemFault(fault.errorCode, 'Create it first.'));
    case 'not-admitted':
      return report.outputNotAdmitted(systemFault(fault.errorCode));
    default:
      return unreachable(fault, 'fault of an output directory');
  }
}

type AdmittedRoot =
  | { readonly ok: true; readonly root: string }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

async function admitRoot(
  given: string,
  files: PublishFiles,
  faults: {
    readonly missing: typeof report.outputRootMissing;
    readonly notDirectory: typeof report.outputRootNotDirectory;
  },
): Promise<AdmittedRoot> {
  // A slash at the end would have the system follow a link in the last place.
  const path = given.replace(/(?:\/+\.?)+$/, '') || '/';
  try {
    const status = await files.lstat(path, { bigint: true });
    if (!status.isDirectory()) {
      const hint = 'Give a directory itself, not a file or a link.';
      return { ok: false, diagnostic: faults.notDirectory({ path: '/', hint }) };
    }
    return { ok: true, root: await files.realpath(path) };
  } catch (error) {
    return { ok: false, diagnostic: faults.missing(systemFault(errorCode(error))) };
  }
}

/** Reports a source that links lead out of its root; what is missing is left to the one who reads it. */
async function leadsOutside({ root, parts }: AdmittedPath, files: PublishFiles): Promise<boolean> {
  const path = join(root, ...parts);
  for (const place of [dirname(path), path]) {
    try {
      if (!isInside(root, await files.realpath(place))) return true;
    } catch {
      return false;
    }
  }
  return false;
}

async function exists(path: string, files: PublishFiles): Promise<boolean> {
  return files.lstat(path, { bigint: true }).then(
    () => true,
    () => false,
  );
}

const PATH_RULE = {
  path: '/',
  hint: 'Give a relative path of plain names: without "..", backslash or colon, no name that ends with a dot or a space or that a system keeps for a device.',
};
