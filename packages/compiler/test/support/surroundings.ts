import {
  type CompileInput,
  type CompileRequest,
  compileHarness,
  toModelProfileCatalog,
  toToolCatalog,
} from '@millforge/compiler';
import { type Diagnostic, MillforgeError } from '@millforge/contracts';
import { parseSource } from '@millforge/source';
import { readCodePage, readDocsFile } from './code-pages.ts';
import { GRANTS } from './fixtures.ts';

/** What a page puts around the common harness. */
export interface Surroundings {
  readonly lookup?: 'throws' | Answer;
  readonly profile_lookup?: object;
  readonly catalog?: object;
  readonly identity?: CompileInput['identity'];
  readonly request?: Partial<CompileRequest>;
  readonly format?: string;
  readonly hook_throws_in?: string;
  readonly appended?: { readonly lines: number; readonly line: string };
  readonly appended_hex?: string;
}

interface Answer {
  readonly entry_of?: string;
  readonly input_schema?: object;
}

/** The surroundings that the page of a code shows, or null. */
export function surroundingsOf(code: string, side: 'wrong' | 'right'): Surroundings | null {
  if (readCodePage(code) === null) return null;
  const page = readDocsFile(`${code.charAt('MF-'.length)}/${code}.md`);
  const block = new RegExp(`\`\`\`json ${side} surroundings\n([^\`]+)\`\`\``).exec(page)?.[1];
  return block === undefined ? null : JSON.parse(block);
}

/** What is found when the common harness is compiled in them. */
export function findingsIn(given: Surroundings): readonly Diagnostic[] {
  const content = sourceIn(given);
  if (given.format !== undefined) {
    // A request admits no other format, so the parser is asked itself; its own type admits none either.
    const format = given.format as 'yaml';
    return parseSource({ logicalPath: 'harness.yaml', format, content }).diagnostics;
  }
  const listed = toToolCatalog(readDocsFile('catalog.json'));
  const profiles = toModelProfileCatalog(['docs.profile.small']);
  const { lookup, profile_lookup: profile, hook_throws_in: phase, identity } = given;
  const catalog = {
    ...listed,
    resolveExact: (id: string, version: number) =>
      lookup === undefined || id !== 'docs.ticket.open'
        ? listed.resolveExact(id, version)
        : answerOf(lookup, listed),
  };
  const input = {
    catalog: given.catalog ?? catalog,
    profiles: profile === undefined ? profiles : { ...profiles, resolveExact: () => profile },
    request: { format: 'yaml', grants: GRANTS, ...given.request },
    ...(identity === undefined ? {} : { identity }),
    onPhase: ({ name }: { readonly name: string }) => {
      if (name === phase) throw new MillforgeError('docs/thrown', 'The hook throws.');
    },
  };
  // A catalog of a JavaScript program may be and answer anything.
  return compileHarness(content, input as object as CompileInput).diagnostics;
}

function answerOf(lookup: 'throws' | Answer, listed: ReturnType<typeof toToolCatalog>): object {
  if (lookup === 'throws') throw new MillforgeError('docs/thrown', 'The catalog throws.');
  const { entry_of: reference, input_schema, ...answer } = lookup;
  if (reference === undefined) return answer;
  const entry = listed.entries.find((one) => `${one.tool_id}@${one.tool_version}` === reference);
  return { ...answer, entry: input_schema === undefined ? entry : { ...entry, input_schema } };
}

function sourceIn({ appended, appended_hex: hex = '' }: Surroundings): Uint8Array {
  const lines = Array.from({ length: appended?.lines ?? 0 }, (_, index) =>
    (appended?.line ?? '').replace('{n}', String(index)),
  );
  const text = `${readDocsFile('harness.yaml')}${lines.map((line) => `${line}\n`).join('')}`;
  return Buffer.concat([Buffer.from(text), Buffer.from(hex, 'hex')]);
}
