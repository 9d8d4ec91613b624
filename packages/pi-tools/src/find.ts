import type { Tool } from '@millforge/contracts';
import { definePiTool, READ_FILES } from './define-pi-tool.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { matchingEntries } from './search/match-glob.ts';
import { openSearchRoot } from './search/open-search-root.ts';
import { rowName, showList, skippedNotices } from './search/show-list.ts';
import { walkTree } from './search/walk-tree.ts';
import { limitArgument, optionalString, stringArgument } from './tool-arguments.ts';
import { answering, toolFault } from './tool-fault.ts';

/** Makes the tool that finds files and folders by name. */
export function findTool(options: PiToolOptions): Tool {
  const { homeDirectory } = options;
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
    run: (input, { workspace, signal }) =>
      answering(async () => {
        const root = await openSearchRoot(optionalString(input, 'path'), {
          workspace,
          homeDirectory,
        });
        if (!root.isFolder) throw toolFault('invalid_arguments', `Not a directory: ${root.path}`);
        const pattern = stringArgument(input, 'pattern');
        const limit = limitArgument(input, 1000);
        const walk = walkTree(root.path, { ignoreFiles: IGNORE_FILES, signal });
        const rows: string[] = [];
        for await (const entry of matchingEntries(walk.entries, pattern)) {
          // One more than asked for, so that the notice is true.
          if (rows.push(rowName(entry.relative) + (entry.kind === 'folder' ? '/' : '')) > limit) {
            break;
          }
        }
        const more = rows.length > limit;
        const shown = rows.slice(0, limit);
        return showList(shown.length === 0 ? ['No files found matching pattern'] : shown, {
          limit:
            more &&
            `${limit} results limit reached. Use limit=${limit * 2} for more, or refine pattern`,
          others: skippedNotices({ 'unreadable path(s)': walk.unreadable() }),
        });
      }),
  });
}

const IGNORE_FILES = ['.gitignore', '.ignore', '.fdignore'];
