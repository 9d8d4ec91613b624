import { readdirSync, readFileSync } from 'node:fs';
import type { CompileRequest } from '@millforge/compiler';

const DOCS = new URL('../../../../docs/codes/', import.meta.url);

/** One page about a code: what it says, and the documents that it shows. */
export interface CodePage {
  readonly code: string;
  readonly name: string;
  readonly message: string;
  readonly wrong: CodeExample | null;
  readonly right: CodeExample | null;
}

/** A whole harness, and what is asked for. */
export interface CodeExample {
  readonly source: string;
  readonly request: Partial<CompileRequest>;
}

/** Text of a file beside the pages. */
export function readDocsFile(name: string): string {
  return readFileSync(new URL(name, DOCS), 'utf8');
}

/** Names of the files in a folder of pages. */
export function docsFiles(folder: string): readonly string[] {
  return readdirSync(new URL(`${folder}/`, DOCS));
}

/** The page of a code, or null when there is none. */
export function readCodePage(code: string): CodePage | null {
  const folder = code.charAt('MF-'.length);
  const exists = readdirSync(new URL(`${folder}/`, DOCS)).includes(`${code}.md`);
  if (!exists) return null;
  const page = readDocsFile(`${folder}/${code}.md`);
  const request = JSON.parse(blockOf(page, 'json request') ?? '{}');
  const rightRequest = JSON.parse(blockOf(page, 'json right request') ?? JSON.stringify(request));
  return {
    code,
    name: /^# (\S+) · (\S+)\n/.exec(page)?.[2] ?? '',
    message: /\n> (.+)\n/.exec(page)?.[1] ?? '',
    wrong: exampleOf(page, 'wrong', request),
    right: exampleOf(page, 'right', rightRequest),
  };
}

function exampleOf(
  page: string,
  side: 'wrong' | 'right',
  request: Partial<CompileRequest>,
): CodeExample | null {
  const whole = blockOf(page, `yaml ${side} document`);
  if (whole !== null) return { source: whole, request };
  const part = blockOf(page, `yaml ${side}`);
  return part === null ? null : { source: splice(readDocsFile('harness.yaml'), part), request };
}

function blockOf(page: string, info: string): string | null {
  const start = page.indexOf(`\`\`\`${info}\n`);
  if (start < 0) return null;
  const body = page.slice(start + info.length + 4);
  return body.slice(0, body.indexOf('```'));
}

/** Replaces the top-level parts of a document that another text also has. */
function splice(document: string, part: string): string {
  const parts = topLevelParts(document);
  for (const [key, text] of topLevelParts(part)) parts.set(key, text);
  return [...parts.values()].join('');
}

function topLevelParts(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  let current = '';
  for (const line of text.split(/(?<=\n)/)) {
    current = /^([a-z_]+):/.exec(line)?.[1] ?? current;
    parts.set(current, (parts.get(current) ?? '') + line);
  }
  return parts;
}
