import { basename } from 'node:path';
import type { JsonObject, Tool, ToolResult } from '@millforge/contracts';
import { definePiTool, READ_FILES } from './define-pi-tool.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { compilePattern } from './search/compile-pattern.ts';
import { matchingEntries } from './search/match-glob.ts';
import { openSearchRoot, type SearchRoot } from './search/open-search-root.ts';
import { readSearchable } from './search/read-searchable.ts';
import { type SearchedFile, searchFiles } from './search/search-files.ts';
import type { TextSearch } from './search/search-text.ts';
import { rowName, showList, skippedNotices } from './search/show-list.ts';
import { type TreeEntry, walkTree } from './search/walk-tree.ts';
import {
  isSet,
  limitArgument,
  optionalNumber,
  optionalString,
  stringArgument,
} from './tool-arguments.ts';
import { answering, toolFault } from './tool-fault.ts';

/** Makes the tool that searches the contents of files. */
export function grepTool(options: PiToolOptions): Tool {
  const { homeDirectory } = options;
  return definePiTool({
    name: 'grep',
    description:
      'Search file contents for a regular expression (JavaScript syntax), line by line, or for a fixed text with literal. Respects .gitignore and .ignore; glob filters files, relative to path. Gives sorted rows path:line: text, at most 100 matches or 50KB; long lines are cut to 500 characters.',
    properties: {
      pattern: { type: 'string' },
      path: { type: 'string' },
      glob: { type: 'string' },
      ignoreCase: { type: 'boolean' },
      literal: { type: 'boolean' },
      context: { type: 'number' },
      limit: { type: 'number' },
    },
    required: ['pattern'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: [READ_FILES],
    run: (input, { workspace, signal }) =>
      answering(async () => {
        const search = compileSearch(input);
        const root = await openSearchRoot(optionalString(input, 'path'), {
          workspace,
          homeDirectory,
        });
        return grep(root, search, { input, signal });
      }),
  });
}

function compileSearch(input: JsonObject): TextSearch {
  const expression = compilePattern(stringArgument(input, 'pattern'), {
    isLiteral: isSet(input, 'literal'),
    ignoresCase: isSet(input, 'ignoreCase'),
  });
  const context = Math.max(0, Math.floor(optionalNumber(input, 'context') ?? 0));
  return { isMatch: (line) => expression.test(line), context };
}

async function grep(
  root: SearchRoot,
  search: TextSearch,
  call: { readonly input: JsonObject; readonly signal: AbortSignal },
): Promise<ToolResult> {
  const limit = limitArgument(call.input, 100);
  const skipped = { binary: 0, large: 0, unreadable: 0, slow: 0 };
  const rows: string[] = [];
  let matches = 0;
  let isClipped = false;
  let hasMore = false;
  const walk = filesOf(root, call);
  const texts = async function* (): AsyncGenerator<SearchedFile> {
    for await (const file of walk.files) {
      if (call.signal.aborted) throw toolFault('cancelled', 'Operation aborted');
      const content = await readSearchable(file.path, !root.isFolder);
      if (content.kind === 'text') yield { name: rowName(file.name), text: content.text };
      else skipped[content.kind]++;
    }
  };
  for await (const found of searchFiles(texts(), search, limit)) {
    if (found === null) {
      if (++skipped.slow > MAX_SLOW) break;
      continue;
    }
    rows.push(...found.rows);
    matches += found.matches;
    isClipped ||= found.isClipped;
    hasMore = found.hasMore;
    if (hasMore) break;
  }
  if (skipped.slow > MAX_SLOW || (skipped.slow > 0 && matches === 0)) {
    throw toolFault('invalid_arguments', TOO_SLOW);
  }
  return showList(rows.length === 0 ? [noMatches(call.input)] : rows, {
    limit:
      hasMore &&
      `${limit} matches limit reached. Use limit=${limit * 2} for more, or refine pattern`,
    others: [
      ...(isClipped ? ['Some lines truncated to 500 chars. Use read tool to see full lines'] : []),
      ...skippedNotices({
        'unreadable path(s)': skipped.unreadable + walk.unreadable(),
        'binary file(s)': skipped.binary,
        'file(s) over 16MB': skipped.large,
        'file(s) on which the pattern takes too long': skipped.slow,
      }),
    ],
  });
}

/** Says so where a form that means something in grep itself explains why nothing was found. */
function noMatches(input: JsonObject): string {
  const pattern = isSet(input, 'literal') ? '' : stringArgument(input, 'pattern');
  if (pattern.includes('\\|')) {
    return 'No matches found (\\| stands for the character; alternatives are written a|b)';
  }
  return pattern.includes('\\n')
    ? 'No matches found (the search goes line by line, so \\n matches nothing)'
    : 'No matches found';
}

function filesOf(
  root: SearchRoot,
  call: { readonly input: JsonObject; readonly signal: AbortSignal },
): {
  readonly files: AsyncIterable<{ readonly path: string; readonly name: string }>;
  readonly unreadable: () => number;
} {
  if (!root.isFolder) return { files: oneFile(root.path), unreadable: () => 0 };
  const glob = optionalString(call.input, 'glob');
  const walk = walkTree(root.path, { ignoreFiles: IGNORE_FILES, signal: call.signal });
  // Only files are searched, so a folder stands for what is in it.
  const filter = glob?.endsWith('/') ? `${glob}**` : glob;
  const meant =
    filter === null || filter === undefined
      ? walk.entries
      : matchingEntries(walk.entries, filter, { mayNegate: true });
  return { files: filesIn(meant), unreadable: walk.unreadable };
}

async function* oneFile(path: string): AsyncGenerator<{ path: string; name: string }> {
  yield { path, name: basename(path) };
}

async function* filesIn(
  entries: AsyncIterable<TreeEntry>,
): AsyncGenerator<{ path: string; name: string }> {
  for await (const entry of entries) {
    if (entry.kind === 'file') yield { path: entry.path, name: entry.relative };
  }
}

const IGNORE_FILES = ['.gitignore', '.ignore'];
const MAX_SLOW = 5;
const TOO_SLOW =
  'The pattern takes too long to match. Mend it: no repetition inside a repetition, as in (a+)+, and few .* in one line; or set literal.';
