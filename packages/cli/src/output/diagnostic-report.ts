import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderDiagnostics, toSarif } from '@millforge/compiler/render';
import type { Diagnostic } from '@millforge/contracts';
import { type CliHost, writeJsonLine } from './terminal.ts';

/** Prints diagnostics for a person, with the lines of the file that they are about where it can be read. */
export function printDiagnostics(
  { stderr, cwd }: Pick<CliHost, 'stderr' | 'cwd'>,
  diagnostics: readonly Diagnostic[],
  path: string,
): void {
  const isPlaced = diagnostics.some(({ span }) => span !== undefined);
  const source = isPlaced ? sourceAt(resolve(cwd, path)) : null;
  stderr.write(
    renderDiagnostics(diagnostics.map(forOptions), {
      path,
      color: stderr.isTerminal,
      width: stderr.columns,
      ...(source === null ? {} : { source }),
      ...codePages(),
    }),
  );
}

/** Writes diagnostics about a file as a SARIF log on one line. */
export function printSarif(
  { stdout }: Pick<CliHost, 'stdout'>,
  diagnostics: readonly Diagnostic[],
  path: string,
): void {
  writeJsonLine(stdout, toSarif(diagnostics.map(forOptions), { path }));
}

/** The pages of the codes that ship beside the bundle; in a checkout they stand in `docs/codes`. */
function codePages(): { readonly pages?: string } {
  const pages = join(fileURLToPath(new URL('.', import.meta.url)), 'codes');
  return existsSync(pages) ? { pages } : {};
}

/** Frames are a help: a file that is gone or no file any more is no reason to fail. */
function sourceAt(path: string): Uint8Array | null {
  try {
    const { size } = statSync(path);
    return size <= MAX_SOURCE_BYTES ? readFileSync(path) : null;
  } catch {
    return null;
  }
}

// The compiler names the fields of its request; on the command line they are options.
function forOptions(diagnostic: Diagnostic): Diagnostic {
  const { code, hint = '', fields = [] } = diagnostic;
  if (code !== 'MF-S018') return diagnostic;
  const field = fields.find(({ key }) => key === 'field_path')?.value;
  const option = OPTIONS.find(([pointer]) => String(field).startsWith(pointer))?.[1];
  return option === undefined
    ? diagnostic
    : { ...diagnostic, hint: `${hint.replace(/\.$/, '')}, which ${option} gives.` };
}

const OPTIONS: readonly (readonly [string, string])[] = [
  ['/request_id', '--request-id'],
  ['/expected_harness_id', '--expect-id'],
  ['/stage_kind_id', '--stage-kind'],
  ['/legal_terminal_results', '--legal-terminal'],
  ['/capability_envelope', '--grant'],
];
const MAX_SOURCE_BYTES = 1_048_576;
