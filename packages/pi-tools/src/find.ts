import { homedir } from 'node:os';
import type { JsonObject, Tool, ToolResult } from '@millforge/contracts';
import { definePiTool, READ_FILES } from './define-pi-tool.ts';
import { givingWay } from './giving-way.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { type ProfileSwitches, profileSwitches } from './profile.ts';
import { type BytePath, toRowName } from './search/byte-path.ts';
import { entryFilter, piFindFilter } from './search/entry-filter.ts';
import { openSearchRoot, searchReach } from './search/open-search-root.ts';
import { showList, skippedNotices } from './search/show-list.ts';
import { walkTree } from './search/walk-tree.ts';
import { limitArgument, optionalNumber, stringArgument } from './tool-arguments.ts';
import { answering, toolFault } from './tool-fault.ts';

/** Makes the tool that finds files and folders by name. */
export function findTool(options: PiToolOptions): Tool {
  const { homeDirectory } = options;
  const profile = profileSwitches(options.profile);
  return definePiTool({
    name: 'find',
    description:
      'Find files and folders by glob pattern. A pattern without a slash is matched against names at any depth, one with a slash against the path from the search folder; use **/ for any depth. Case counts. Respects .gitignore, .ignore and .fdignore. Results are sorted paths relative to the search folder, at most 1000 or 50KB; folders end in /.',
    properties: {
      pattern: { type: 'string' },
      path: { type: 'string' },
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
        const root = await openSearchRoot(input, context, options);
        if (!root.isFolder) throw toolFault('invalid_arguments', `Not a directory: ${root.path}`);
        const home = homeDirectory ?? homedir();
        return find(input, {
          root: root.path,
          workspace: workspace ?? root.path,
          home,
          profile,
          signal,
        });
      }),
  });
}

interface Call {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  readonly profile: ProfileSwitches;
  readonly signal: AbortSignal;
}

async function find(input: JsonObject, call: Call): Promise<ToolResult> {
  const { root, profile, signal } = call;
  const { searchesByRoot } = profile;
  const pattern = stringArgument(input, 'pattern');
  const filter = searchesByRoot
    ? entryFilter(pattern, { root, mayNegate: false })
    : piFindFilter(pattern, root);
  const limit = profile.mendsLimits
    ? limitArgument(input, 1000)
    : (optionalNumber(input, 'limit') ?? 1000);
  // Pi takes a limit of 0 for none.
  const wanted = limit > 0 ? limit : Number.POSITIVE_INFINITY;
  const walk = walkTree(root, {
    policy: {
      files: ['.fdignore', '.ignore'],
      withoutRepository: true,
      endsAtRepository: searchesByRoot,
      outermost: call.workspace,
      home: call.home,
    },
    showsVersionControl: !searchesByRoot,
    within: filter.within,
  });
  const rows: string[] = [];
  let unreadable = 0;
  let passed = 0;
  for (const entry of walk) {
    if (passed++ % ENTRIES_AT_ONCE === 0) {
      await givingWay();
      if (signal.aborted) throw toolFault('cancelled', 'Operation aborted');
    }
    if (entry.kind === 'closed') unreadable++;
    else if (filter.isMeant(entry)) {
      // One more than asked for, so that the notice is true.
      if (rows.length === wanted && profile.mendsLimits) {
        return found(rows, { limit, hasMore: true, unreadable });
      }
      rows.push(
        rowOf(entry.folder.path + entry.name, searchesByRoot) +
          (entry.kind === 'folder' ? '/' : ''),
      );
      if (rows.length === wanted && !profile.mendsLimits) break;
    }
  }
  const hasMore = !profile.mendsLimits && rows.length > 0 && rows.length >= limit;
  return found(rows, { limit, hasMore, unreadable: searchesByRoot ? unreadable : 0 });
}

function found(
  rows: readonly string[],
  about: { readonly limit: number; readonly hasMore: boolean; readonly unreadable: number },
): ToolResult {
  const { limit, hasMore, unreadable } = about;
  return showList(rows.length === 0 ? ['No files found matching pattern'] : rows, {
    limit:
      hasMore &&
      `${limit} results limit reached. Use limit=${limit * 2} for more, or refine pattern`,
    others: skippedNotices({ 'unreadable path(s)': unreadable }),
  });
}

function rowOf(path: BytePath, isExact: boolean): string {
  return isExact ? toRowName(path) : Buffer.from(path, 'latin1').toString().trim();
}

const ENTRIES_AT_ONCE = 512;
