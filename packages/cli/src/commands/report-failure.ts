import type { Diagnostic } from '@millforge/contracts';
import { renderDiagnostic } from '../documents/compile-report.ts';
import { exitStatusOfDiagnostics } from '../output/exit-status.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';

/** Prints diagnostics for a person, unless a document holds them already, and gives the exit status. */
export function reportFailure(
  host: CliHost,
  diagnostics: readonly Diagnostic[],
  options: {
    /** The file or directory that they are about, as it was typed. */
    readonly path: string;
    /** Whether nothing is to be printed. */
    readonly isQuiet: boolean;
  },
): number {
  if (!options.isQuiet) {
    for (const diagnostic of diagnostics) {
      writeLine(host.stderr, renderDiagnostic(diagnostic, options.path));
    }
  }
  return exitStatusOfDiagnostics(diagnostics.map(({ code }) => code));
}
