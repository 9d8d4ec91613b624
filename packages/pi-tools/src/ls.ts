import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from '@millforge/contracts';
import { definePiTool, READ_FILES } from './define-pi-tool.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { openSearchRoot } from './search/open-search-root.ts';
import { rowName, showList } from './search/show-list.ts';
import { limitArgument, optionalString } from './tool-arguments.ts';
import { answering, errnoOf, toolFault } from './tool-fault.ts';

/** Makes the tool that lists one folder. */
export function lsTool(options: PiToolOptions): Tool {
  const { homeDirectory } = options;
  return definePiTool({
    name: 'ls',
    description:
      'List the entries of a folder, hidden ones included, sorted by name. Folders end in /. At most 500 entries or 50KB.',
    properties: { path: { type: 'string' }, limit: { type: 'number' } },
    required: [],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: [READ_FILES],
    run: (input, { workspace }) =>
      answering(async () => {
        const root = await openSearchRoot(optionalString(input, 'path'), {
          workspace,
          homeDirectory,
        });
        if (!root.isFolder) throw toolFault('invalid_arguments', `Not a directory: ${root.path}`);
        const limit = limitArgument(input, 500);
        const names = (await listNames(root.path)).toSorted(byName);
        const rows = await Promise.all(
          names.slice(0, limit).map(async (name) => rowName(name) + (await mark(root.path, name))),
        );
        return showList(rows.length === 0 ? ['(empty directory)'] : rows, {
          limit:
            names.length > limit &&
            `${limit} entries limit reached. Use limit=${limit * 2} for more`,
        });
      }),
  });
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = errnoOf(error) === 'EACCES' ? 'permission_denied' : 'io_error';
    const message = error instanceof Error ? error.message : 'unknown';
    throw toolFault(code, `Cannot read directory: ${message}`, error);
  }
}

async function mark(folder: string, name: string): Promise<string> {
  try {
    return (await stat(join(folder, name))).isDirectory() ? '/' : '';
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? ' (dangling link)' : '';
  }
}

/** By lower-cased name, then by name, by code unit: the same on every machine. */
function byName(left: string, right: string): number {
  const a = left.toLowerCase();
  const b = right.toLowerCase();
  if (a !== b) return a < b ? -1 : 1;
  return left < right ? -1 : 1;
}
