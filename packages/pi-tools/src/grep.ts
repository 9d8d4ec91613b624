import { homedir } from 'node:os';
import { basename } from 'node:path';
import type { JsonObject, Tool, ToolResult } from '@millforge/contracts';
import { definePiTool, READ_FILES } from './define-pi-tool.ts';
import { givingWay } from './giving-way.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { type ProfileSwitches, profileSwitches } from './profile.ts';
import { type BytePath, toBytePath } from './search/byte-path.ts';
import { compilePattern } from './search/compile-pattern.ts';
import { type EntryFilter, entryFilter, piGrepFilter } from './search/entry-filter.ts';
import { lookAhead, type SearchProgress } from './search/look-ahead.ts';
import { openSearchRoot, type SearchRoot, searchReach } from './search/open-search-root.ts';
import { ripgrepProgram } from './search/ripgrep.ts';
import { type SearchedPath, searchFiles } from './search/search-files.ts';
import type { TextSearch } from './search/search-text.ts';
import { showList, skippedNotices } from './search/show-list.ts';
import { type TreeEntry, type WalkOptions, walkTree } from './search/walk-tree.ts';
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
  const profile = profileSwitches(options.profile);
  return definePiTool({
    name: 'grep',
    description:
      'Search file contents for a regular expression, line by line, or for a fixed text with literal. Respects .gitignore and .ignore; glob filters files, relative to path. Gives sorted rows path:line: text, at most 100 matches or 50KB; long lines are cut to 500 characters.',
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
    reach: searchReach(options, { below: true }),
    run: (input, context) =>
      answering(async () => {
        const { workspace, signal } = context;
        if (signal.aborted) throw toolFault('cancelled', 'Operation aborted');
        const search = compileSearch(input, profile);
        const root = await openSearchRoot(input, context, options);
        const program = options.ripgrep === undefined ? await bundled.program : options.ripgrep;
        const home = homeDirectory ?? homedir();
        const progress = { matches: 0, files: 0, limit: matchLimit(input, profile) };
        const files = filesOf(root, search, {
          input,
          profile,
          progress,
          policy: { outermost: workspace ?? root.path, home },
          program,
          isBundled: options.ripgrep === undefined,
          signal,
        });
        const isNamed = !root.isFolder;
        return grep(files, { ...search, isNamed }, { input, profile, progress, signal });
      }),
  });
}

function compileSearch(input: JsonObject, profile: ProfileSwitches): TextSearch {
  const pattern = compilePattern(stringArgument(input, 'pattern'), {
    isLiteral: isSet(input, 'literal'),
    ignoresCase: isSet(input, 'ignoreCase'),
  });
  const context = Math.max(0, Math.floor(optionalNumber(input, 'context') ?? 0));
  return { pattern, context, showsAsPi: !profile.searchesByRoot };
}

function matchLimit(input: JsonObject, { mendsLimits }: ProfileSwitches): number {
  if (mendsLimits) return limitArgument(input, 100);
  return Math.max(1, optionalNumber(input, 'limit') ?? 100);
}

async function grep(
  files: AsyncIterable<readonly SearchedPath[]>,
  search: TextSearch & { readonly isNamed: boolean },
  call: {
    readonly input: JsonObject;
    readonly profile: ProfileSwitches;
    readonly progress: SearchProgress;
    readonly signal: AbortSignal;
  },
): Promise<ToolResult> {
  const { profile, progress } = call;
  const { limit } = progress;
  const rows = keptRows();
  const unreadable: BytePath[] = [];
  let slow = 0;
  let isClipped = false;
  let hasMore = false;
  search: for await (const group of files) {
    if (call.signal.aborted) throw toolFault('cancelled', 'Operation aborted');
    for (const found of searchFiles(group, search, limit - progress.matches)) {
      if (found === 'slow') {
        if (++slow > MAX_SLOW) break search;
      } else if ('unreadable' in found) {
        unreadable.push(found.unreadable);
      } else {
        rows.add(found.rows);
        progress.matches += found.matches;
        progress.files++;
        isClipped ||= found.isClipped;
        hasMore ||= found.hasMore || (!profile.mendsLimits && progress.matches >= limit);
        if (hasMore) break search;
      }
    }
    await givingWay();
  }
  if (slow > MAX_SLOW || (slow > 0 && progress.matches === 0)) {
    throw toolFault('invalid_arguments', TOO_SLOW);
  }
  if (search.showsAsPi && unreadable.length > 0 && !hasMore) {
    throw toolFault('io_error', unreadable.map(asRipgrepSays).join('\n'));
  }
  return showList(
    rows.isEmpty() ? [search.showsAsPi ? NO_MATCHES : noMatches(call.input)] : rows.all(),
    {
      limit:
        hasMore &&
        `${limit} matches limit reached. Use limit=${limit * 2} for more, or refine pattern`,
      others: [
        ...(isClipped
          ? ['Some lines truncated to 500 chars. Use read tool to see full lines']
          : []),
        ...skippedNotices({
          'unreadable path(s)': unreadable.length,
          'file(s) on which the pattern takes too long': slow,
        }),
      ],
    },
  );
}

function asRipgrepSays(path: BytePath): string {
  return `rg: ${Buffer.from(path, 'latin1').toString()}: Permission denied (os error 13)`;
}

/** Rows, of which no more are kept than can be shown, and one. */
function keptRows(): {
  add(rows: readonly string[]): void;
  all(): readonly string[];
  isEmpty(): boolean;
} {
  const kept: string[] = [];
  let units = 0;
  return {
    add: (rows) => {
      for (const row of rows) {
        if (units > MAX_SHOWN_UNITS) return;
        kept.push(row);
        units += row.length;
      }
    },
    all: () => kept,
    isEmpty: () => kept.length === 0,
  };
}

/** Says so where a form that means something in grep itself explains why nothing was found. */
function noMatches(input: JsonObject): string {
  const pattern = isSet(input, 'literal') ? '' : stringArgument(input, 'pattern');
  if (pattern.includes('\\|')) {
    return 'No matches found (\\| stands for the character; alternatives are written a|b)';
  }
  return pattern.includes('\\n')
    ? 'No matches found (the search goes line by line, so \\n matches nothing)'
    : NO_MATCHES;
}

async function* filesOf(
  root: SearchRoot,
  { pattern }: TextSearch,
  call: {
    readonly input: JsonObject;
    readonly profile: ProfileSwitches;
    readonly policy: { readonly outermost: string; readonly home: string };
    readonly program: string | null;
    /** Whether the program is the one that comes with this package, whose notes are known. */
    readonly isBundled: boolean;
    readonly progress: SearchProgress;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<readonly SearchedPath[]> {
  const { input, profile, policy, program } = call;
  const { searchesByRoot } = profile;
  if (!root.isFolder) {
    const name = toBytePath(basename(root.path));
    yield [{ path: toBytePath(root.path), name, isClosed: false }];
    return;
  }
  const glob = optionalString(input, 'glob') ?? '';
  const compile = searchesByRoot
    ? () => entryFilter(glob, { root: root.path, mayNegate: true })
    : () => piGrepFilter(glob, root.path);
  const filter = glob === '' ? null : compile();
  const walk: WalkOptions = {
    policy: {
      ...policy,
      files: ['.rgignore', '.ignore'],
      withoutRepository: false,
      endsAtRepository: true,
    },
    showsVersionControl: !searchesByRoot,
    within: filter?.within ?? '',
    // To Pi, a glob that fits is stronger than any rule.
    keeps: searchesByRoot || glob.startsWith('!') ? undefined : filter?.isMeant,
  };
  const base = toBytePath(root.path.endsWith('/') ? root.path : `${root.path}/`);
  const entries = filesIn(walkTree(root.path, walk), filter);
  const { ripgrep } = pattern;
  const nameGlob = filter?.nameGlob ?? null;
  const ask =
    program === null || ripgrep === null
      ? null
      : {
          program,
          pattern: ripgrep,
          folder: root.path,
          nameGlob,
          lines: pattern,
          isFiltered: filter !== null,
          walk: filter === null && call.isBundled ? walk : null,
        };
  for await (const group of lookAhead(entries, ask, call)) {
    yield group.map(({ folder, name, kind }) => ({
      path: base + folder.path + name,
      name: folder.path + name,
      isClosed: kind === 'closed',
    }));
  }
}

function* filesIn(
  walk: Iterable<TreeEntry>,
  filter: EntryFilter | null,
): Generator<TreeEntry, void, undefined> {
  for (const entry of walk) {
    const isWanted = entry.kind === 'file' && (filter === null || filter.isMeant(entry));
    if (isWanted || entry.kind === 'closed') yield entry;
  }
}

/** Looked for once: where the program is does not change. */
const bundled = {
  found: null as Promise<string | null> | null,
  get program(): Promise<string | null> {
    this.found ??= ripgrepProgram();
    return this.found;
  },
};
const NO_MATCHES = 'No matches found';
const MAX_SLOW = 5;
/** No row has more units than bytes. */
const MAX_SHOWN_UNITS = 60_000;
const TOO_SLOW =
  'The pattern takes too long to match. Mend it: no repetition inside a repetition, as in (a+)+, and few .* in one line; or set literal.';
