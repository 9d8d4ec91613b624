import { join } from 'node:path';
import {
  boundDiagnostics,
  canonicalJson,
  type Diagnostic,
  unreachable,
} from '@millforge/contracts';
import { DIAGNOSTIC_ORDER, report } from '../diagnostics.ts';
import { planFileName } from '../emit/plan-file-name.ts';
import { reportFileName } from '../emit/report-file-name.ts';
import { admitAndCompile, type CompileFileInput, type FileTarget } from './admit-and-compile.ts';
import { findOutputFault } from './admit-paths.ts';
import type { CompileFileOutcome, UnwrittenFile } from './compile-file-outcome.ts';
import type { CompileFileRequest } from './compile-file-request.ts';
import { toCompileResultJson } from './compile-result-json.ts';
import { errorCode, systemFault } from './error-code.ts';
import { type OpenDirectory, openDirectory } from './open-directory.ts';
import { leftoverDiagnostics, publicationDiagnostics } from './publication-diagnostics.ts';
import { type PublishFiles, systemFiles } from './publish-files.ts';
import { publishInto } from './publish-plan.ts';
import { writeReport } from './write-report.ts';

/**
 * Compiles a harness from disk and writes its plan and one report, each whole or not at all, mode 0600.
 *
 * The request may be anything. A source that does not compile leaves no file; once a plan was to be
 * written, the report says what came of it, in place of the last one of the same request. Nothing is
 * written outside of the output directory, which exists beforehand. Never throws.
 */
export async function compileFile(
  request: CompileFileRequest,
  input: CompileFileInput,
): Promise<CompileFileOutcome> {
  const files = input.fs ?? systemFiles;
  const compiled = await admitAndCompile(request, input, files);
  return compiled.ok ? publishTarget(compiled.target, files) : compiled.outcome;
}

async function publishTarget(target: FileTarget, files: PublishFiles): Promise<CompileFileOutcome> {
  const names = fileNames(target);
  if (names === null) {
    const fault = systemFault('ENAMETOOLONG', 'Use an output_dir with a shorter path.');
    return unwritten(target, [report.planNotWritten(fault)]);
  }
  const opened = await openOutput(target, files);
  if (!opened.ok) return opened.outcome;
  const { directory } = opened;
  try {
    const outcome = await publish(directory, { target, names }, files);
    const bytes = new TextEncoder().encode(canonicalJson(toCompileResultJson(outcome)));
    const written = await writeReport(directory, { fileName: names.report, bytes }, files);
    if (written.ok) return outcome;
    return withoutReport(outcome, [
      report.reportNotWritten(systemFault(written.errorCode)),
      ...leftoverDiagnostics(written.leftover),
    ]);
  } finally {
    await directory.handle.close().catch(ignore);
  }
}

interface FileNames {
  readonly plan: string;
  readonly planPath: string;
  readonly report: string;
  readonly reportPath: string;
}

/** Names and paths of both files, or null where a path would be longer than results may hold. */
function fileNames({ result, requestIdentitySha256, outputDir }: FileTarget): FileNames | null {
  const plan = result.ok ? planFileName(result.plan) : '';
  const harness = result.ok
    ? { id: result.plan.harness_id, version: result.plan.harness_version, sha256: result.sha256 }
    : null;
  const name = reportFileName({ requestIdentitySha256, harness });
  const pathOf = (file: string) => [...outputDir.parts, file].join('/');
  const isShort = [plan, name].every(
    (file) => new TextEncoder().encode(pathOf(file)).length <= MAX_PATH_BYTES,
  );
  return isShort ? { plan, planPath: pathOf(plan), report: name, reportPath: pathOf(name) } : null;
}

type OpenedOutput =
  | { readonly ok: true; readonly directory: OpenDirectory }
  | { readonly ok: false; readonly outcome: CompileFileOutcome };

/** Looks at the output directory again, and holds on to what it finds. */
async function openOutput(target: FileTarget, files: PublishFiles): Promise<OpenedOutput> {
  const refuse = (found: Diagnostic, isOpened = false): OpenedOutput => {
    // Where the directory is in doubt, the outcome tells no more than what names the request.
    const known = { documentSha256: isOpened ? target.result.documentSha256 : null };
    const outcome = {
      ...unwritten(target, [found]),
      ...known,
      sourceSha256: null,
      harnessId: null,
    };
    return { ok: false, outcome };
  };
  const fault = await findOutputFault(target.outputDir, files);
  if (fault !== null) {
    return refuse(
      'errorCode' in fault
        ? report.outputNotOpened(systemFault(fault.errorCode))
        : report.outputMoved({ path: '/', hint: 'It was exchanged while the source compiled.' }),
    );
  }
  let directory: OpenDirectory;
  try {
    directory = await openDirectory(join(target.outputDir.root, ...target.outputDir.parts), files);
  } catch (error) {
    return refuse(report.outputNotOpened(systemFault(errorCode(error))));
  }
  const isSame = await directory.isSame().catch(() => false);
  if (isSame) return { ok: true, directory };
  await directory.handle.close().catch(ignore);
  const place = { path: '/', hint: 'It was exchanged or could not be looked at.' };
  return refuse(report.outputNotConfirmed(place), true);
}

/** Writes the plan. The outcome stands for the moment after its report was written, too. */
async function publish(
  directory: OpenDirectory,
  { target, names }: { readonly target: FileTarget; readonly names: FileNames },
  files: PublishFiles,
): Promise<CompileFileOutcome> {
  const { result } = target;
  const standing = { kind: 'committed', path: names.reportPath } as const;
  if (!result.ok) return { ...unwritten(target, result.diagnostics), report: standing };
  const plan = { fileName: names.plan, sha256: result.sha256, bytes: result.bytes };
  const publication = await publishInto(directory, plan, files);
  const found = [...result.diagnostics, ...publicationDiagnostics(publication)];
  const known = { ...unwritten(target, found), report: standing };
  const file = { planPath: names.planPath, sha256: result.sha256 };
  switch (publication.kind) {
    case 'published':
      return {
        ...known,
        ...file,
        kind: 'published',
        plan: result.plan,
        reused: publication.reused,
      };
    case 'publish_unsure':
      return { ...known, ...file, kind: 'publish_unsure' };
    case 'conflict':
    case 'not_written':
      return { ...known, kind: publication.kind };
    default:
      return unreachable(publication, 'outcome of a publication');
  }
}

/** The outcome of a compilation whose report may not stand. */
function withoutReport(
  outcome: CompileFileOutcome,
  found: readonly Diagnostic[],
): CompileFileOutcome {
  if (outcome.report.kind === 'absent') return outcome;
  const diagnostics = boundDiagnostics([...outcome.diagnostics, ...found], DIAGNOSTIC_ORDER);
  const unsure = { diagnostics, report: { kind: 'unknown', path: outcome.report.path } } as const;
  return outcome.kind === 'published'
    ? { ...outcome, ...unsure, kind: 'published_report_unsure' }
    : { ...outcome, ...unsure };
}

/** The outcome of a compilation that came as far as the output, before anything stands. */
function unwritten(target: FileTarget, found: readonly Diagnostic[]): UnwrittenFile {
  const { requestId, sourcePath, requestIdentitySha256, result } = target;
  const { documentSha256, sourceSha256 } = result;
  return {
    kind: 'not_written',
    requestId,
    sourcePath,
    documentSha256,
    sourceSha256,
    harnessId: result.ok ? result.plan.harness_id : result.harnessId,
    requestIdentitySha256,
    diagnostics: boundDiagnostics(found, DIAGNOSTIC_ORDER),
    report: { kind: 'absent' },
  };
}

function ignore(): void {
  // A directory that was only read has nothing to lose when closing it fails.
}

/** Bytes of a path in a result document. */
const MAX_PATH_BYTES = 1024;
