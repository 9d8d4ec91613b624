import { type ParseSourceOptions, parseSource, type SourceDocument } from '@millforge/source';

/** The document of a text that is expected to be accepted. */
export function accepted(
  format: 'yaml' | 'json',
  content: Uint8Array | string,
  options?: ParseSourceOptions,
): SourceDocument {
  const { source, diagnostics } = parseSource({ logicalPath: 'h', format, content }, options);
  if (source === null) throw new Error(`Refused: ${JSON.stringify(diagnostics)}`);
  return source;
}

/** Code and place of the one diagnostic of a text that is expected to be refused. */
export function refused(
  format: string,
  content: Uint8Array | string,
  options?: ParseSourceOptions,
): string {
  const { source, diagnostics } = parseSource({ logicalPath: 'h', format, content }, options);
  const [diagnostic] = diagnostics;
  if (source !== null || diagnostic === undefined || diagnostics.length !== 1) {
    throw new Error(`Expected one diagnostic, got ${diagnostics.length}.`);
  }
  const { code, path, phase, span, severity } = diagnostic;
  if (path !== '/' || phase !== 'parse' || severity !== 'error') throw new Error('Odd diagnostic.');
  return `${code} ${span?.line}:${span?.column}`;
}
