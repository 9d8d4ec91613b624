import { COMPILER_IDENTITY } from '@millforge/compiler';
import {
  createRedactor,
  type Diagnostic,
  type DiagnosticSpan,
  type JsonObject,
} from '@millforge/contracts';
import { CODE_PAGES, codePage } from './code-page.ts';

/** How diagnostics are written as SARIF. */
export interface SarifOptions {
  /** Path or address of the source; default what each diagnostic says. */
  readonly path?: string;
  /** Folder of the pages of codes, or their address, which then is each rule's `helpUri`; default `docs/codes`. */
  readonly pages?: string;
}

/**
 * Writes diagnostics as a SARIF 2.1.0 log with one run and one rule per code; columns count Unicode code points.
 *
 * No text of the source is in it.
 */
export function toSarif(
  diagnostics: readonly Diagnostic[],
  options: SarifOptions = {},
): JsonObject {
  const rules = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    if (!rules.has(diagnostic.code)) rules.set(diagnostic.code, diagnostic);
  }
  const codes = [...rules.keys()].toSorted();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: COMPILER_IDENTITY.name,
            version: COMPILER_IDENTITY.version,
            rules: codes.map((code) => toRule(code, rules.get(code)?.name ?? code, options)),
          },
        },
        columnKind: 'unicodeCodePoints',
        results: diagnostics.map((diagnostic) => toResult(diagnostic, codes, options)),
      },
    ],
  };
}

function toRule(code: string, name: string, { pages = CODE_PAGES }: SarifOptions): JsonObject {
  const words = name.replaceAll('-', ' ');
  const page = `${pages}/${codePage(code)}`;
  return {
    id: code,
    name: name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: `${words.charAt(0).toUpperCase()}${words.slice(1)}.` },
    help: { text: `See ${page}.` },
    // SARIF takes a whole address there and nothing else.
    ...(/^[a-z][a-z0-9+.-]*:/i.test(page) ? { helpUri: page } : {}),
  };
}

function toResult(
  diagnostic: Diagnostic,
  codes: readonly string[],
  options: SarifOptions,
): JsonObject {
  const { code, severity, message, hint, path, span, nodeId } = diagnostic;
  const sentences = hint === undefined ? message : `${message}\n${hint}`;
  const file = options.path ?? diagnostic.logicalPath;
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: redactor.text(sentences) },
    locations: [
      {
        ...(file === undefined ? {} : { physicalLocation: toPhysical(file, span) }),
        logicalLocations: [
          {
            fullyQualifiedName: redactor.text(path),
            ...(nodeId === undefined ? {} : { name: nodeId }),
          },
        ],
      },
    ],
  };
}

function toPhysical(file: string, span: DiagnosticSpan | undefined): JsonObject {
  return {
    artifactLocation: { uri: toUri(redactor.text(file)) },
    ...(span === undefined ? {} : { region: toRegion(span) }),
  };
}

function toRegion({ line, column, endLine, endColumn }: DiagnosticSpan): JsonObject {
  return {
    startLine: line,
    startColumn: column,
    // Without an end a region reaches to the end of its line, which is where an entry ends at best.
    ...(endLine === undefined ? {} : { endLine }),
    ...(endColumn === undefined ? {} : { endColumn }),
  };
}

/** A path as the relative reference that SARIF asks for. */
function toUri(file: string): string {
  const parts = file
    .replaceAll('\\', '/')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .split('/');
  return parts.map(encodeURIComponent).join('/');
}

const redactor = createRedactor();
