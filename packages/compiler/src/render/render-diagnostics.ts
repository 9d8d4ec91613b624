import { createRedactor, type Diagnostic } from '@millforge/contracts';
import { codeFrame, type FrameSource } from './code-frame.ts';
import { CODE_PAGES, codePage } from './code-page.ts';
import { glyphLines } from './glyph-lines.ts';
import { hiddenLines } from './hidden-lines.ts';
import { paintFor } from './paint.ts';
import { plain } from './plain-text.ts';

/** How diagnostics are shown to a person. */
export interface RenderOptions {
  /** The source that they are about, as it was compiled; without it there are no frames. */
  readonly source?: string | Uint8Array;
  /** Name of the source; default what each diagnostic says. */
  readonly path?: string;
  /** Whether to colour for a terminal; default no. */
  readonly color?: boolean;
  /** Columns of a line; default 100. Only lines of the source are cut to it. */
  readonly width?: number;
  /** Folder or address of the pages of codes; default `docs/codes`. */
  readonly pages?: string;
}

/**
 * Writes diagnostics for a terminal: place, code and sentence, the lines around the place, what to do, and the page of
 * the code. Ends with a line feed; empty for no diagnostics.
 *
 * A line that holds something which looks like a secret is never shown.
 */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  options: RenderOptions = {},
): string {
  const paint = paintFor(options.color ?? false);
  const lines = options.source === undefined ? [] : linesOf(options.source);
  const source: FrameSource = {
    lines: glyphLines(lines),
    isHidden: hiddenLines(lines, diagnostics),
    width: options.width ?? DEFAULT_WIDTH,
    paint,
  };
  const blocks = diagnostics.map((diagnostic) => {
    const { span, severity, code, message, hint } = diagnostic;
    const file = safe(options.path ?? diagnostic.logicalPath ?? '');
    const place = span === undefined ? file : `${file}:${span.line}:${span.column}`;
    const tint = severity === 'error' ? paint.mark : paint.warn;
    const head = `${tint(severity)} ${paint.strong(safe(code))}: ${safe(message)}`;
    const pointer = diagnostic.path === '/' ? '' : ` (${safe(diagnostic.path)})`;
    return [
      `${place === '' ? '' : `${paint.strong(place)}: `}${head}${paint.dim(pointer)}`,
      ...(span === undefined ? [] : codeFrame(span, source)),
      ...(hint === undefined ? [] : [`  ${paint.help('hint:')} ${safe(hint)}`]),
      paint.dim(`  page: ${safe(options.pages ?? CODE_PAGES)}/${codePage(code)}`),
    ].join('\n');
  });
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`;
}

const DEFAULT_WIDTH = 100;
const redactor = createRedactor();

/** Diagnostics of the compiler are redacted already; those of another program may not be. */
function safe(text: string): string {
  return plain(redactor.text(text));
}

/** Lines as the parser counts them: without a byte order mark, at any kind of line end. */
function linesOf(source: string | Uint8Array): readonly string[] {
  const text =
    typeof source === 'string'
      ? source
      : new TextDecoder('utf-8', { ignoreBOM: true }).decode(source);
  const lines = (text.startsWith('\ufeff') ? text.slice(1) : text).split(/\r\n?|\n/);
  // The line feed at the end of a text ends its last line and begins no other one.
  return lines.at(-1) === '' && lines.length > 1 ? lines.slice(0, -1) : lines;
}
