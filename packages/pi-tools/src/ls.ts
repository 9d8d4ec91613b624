import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from '@millforge/contracts';
import { definePiTool, READ_FILES } from './define-pi-tool.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { profileSwitches } from './profile.ts';
import { type BytePath, toBytePath, toRowName, toSystemPath, toText } from './search/byte-path.ts';
import { openSearchRoot, searchReach } from './search/open-search-root.ts';
import { showList } from './search/show-list.ts';
import { limitArgument, optionalNumber } from './tool-arguments.ts';
import { answering, errnoOf, toolFault } from './tool-fault.ts';

/** Makes the tool that lists one folder. */
export function lsTool(options: PiToolOptions): Tool {
  const { listsAll, mendsLimits } = profileSwitches(options.profile);
  return definePiTool({
    name: 'ls',
    description:
      'List the entries of a folder, hidden ones included, sorted by name. Folders end in /. At most 500 entries or 50KB.',
    properties: { path: { type: 'string' }, limit: { type: 'number' } },
    required: [],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: [READ_FILES],
    reach: searchReach(options, { below: false }),
    run: (input, context) =>
      answering(async () => {
        if (context.signal.aborted) throw toolFault('cancelled', 'Operation aborted');
        const root = await openSearchRoot(input, context, options);
        if (!root.isFolder) throw toolFault('invalid_arguments', `Not a directory: ${root.path}`);
        const limit = mendsLimits
          ? limitArgument(input, 500)
          : (optionalNumber(input, 'limit') ?? 500);
        const { rows, hasMore } = listsAll
          ? await allRows(root.path, limit)
          : await piRows(root.path, limit);
        return showList(rows.length === 0 ? ['(empty directory)'] : rows, {
          limit:
            rows.length > 0 &&
            hasMore &&
            `${limit} entries limit reached. Use limit=${limit * 2} for more`,
        });
      }),
  });
}

interface Rows {
  readonly rows: readonly string[];
  readonly hasMore: boolean;
}

async function allRows(folder: string, limit: number): Promise<Rows> {
  const entries = (await listEntries(folder)).toSorted(byName);
  const rows = await Promise.all(
    entries
      .slice(0, limit)
      .map(async (entry) => toRowName(entry.name) + (await mark(folder, entry))),
  );
  return { rows, hasMore: entries.length > limit };
}

/** The listing of Pi: in the order of the locale, without what cannot be looked at. */
async function piRows(folder: string, limit: number): Promise<Rows> {
  const names = (await listEntries(folder))
    .map(({ name }) => Buffer.from(name, 'latin1').toString())
    .toSorted((left, right) => left.toLowerCase().localeCompare(right.toLowerCase()));
  const rows: string[] = [];
  for (const name of names) {
    if (rows.length >= limit) return { rows, hasMore: true };
    const found = await stat(join(folder, name)).catch(() => null);
    if (found !== null) rows.push(found.isDirectory() ? `${name}/` : name);
  }
  return { rows, hasMore: false };
}

async function listEntries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: 'latin1' });
  } catch (error) {
    const code = errnoOf(error) === 'EACCES' ? 'permission_denied' : 'io_error';
    const message = error instanceof Error ? error.message : 'unknown';
    throw toolFault(code, `Cannot read directory: ${message}`, error);
  }
}

async function mark(folder: string, entry: Dirent): Promise<string> {
  if (entry.isDirectory()) return '/';
  if (!entry.isSymbolicLink()) return '';
  try {
    const base = folder.endsWith('/') ? folder : `${folder}/`;
    return (await stat(toSystemPath(toBytePath(base) + entry.name))).isDirectory() ? '/' : '';
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? ' (dangling link)' : '';
  }
}

/** By lower-cased name, then by name, by code unit: the same on every machine. */
function byName({ name: left }: Dirent, { name: right }: Dirent): number {
  const a = asSorted(left);
  const b = asSorted(right);
  if (a !== b) return a < b ? -1 : 1;
  return left < right ? -1 : 1;
}

function asSorted(name: BytePath): string {
  return (toText(name) ?? name).toLowerCase();
}
