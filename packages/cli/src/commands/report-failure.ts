import type { Diagnostic } from '@millforge/contracts';
import { printDiagnostics } from '../output/diagnostic-report.ts';
import { exitStatusOfDiagnostics } from '../output/exit-status.ts';
import type { CliHost } from '../output/terminal.ts';

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
  if (!options.isQuiet) printDiagnostics(host, diagnostics, options.path);
  return exitStatusOfDiagnostics(diagnostics.map(({ code }) => code));
}
