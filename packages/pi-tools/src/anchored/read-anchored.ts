import type { Tool, ToolResult } from '@millforge/contracts';
import { definePiTool, READ_FILES } from '../define-pi-tool.ts';
import { openContent } from '../edit/open-content.ts';
import { readFoundFile } from '../found-file.ts';
import type { PiToolOptions } from '../pi-tool-options.ts';
import { candidatePaths, resolvePath } from '../resolve-path.ts';
import { limitArgument, optionalNumber, stringArgument } from '../tool-arguments.ts';
import { answering, toolFault } from '../tool-fault.ts';
import { clipLine, MAX_BYTES, MAX_LINES } from '../truncate-text.ts';
import { anchorOf, showRow } from './anchor.ts';
import { type FileLines, fileLines } from './file-lines.ts';

/** Makes the tool that reads lines with their anchors. */
export function readAnchoredTool({ homeDirectory }: PiToolOptions): Tool {
  return definePiTool({
    name: 'read_anchored',
    description:
      'Read a text file with an anchor in front of each line: 12#a3f9│text. edit_anchored changes lines by their anchors. Output is cut to 2000 lines or 50KB; go on with offset (first line, from 1) and limit (number of lines).',
    properties: {
      path: { type: 'string' },
      offset: { type: 'number' },
      limit: { type: 'number' },
    },
    required: ['path'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: [READ_FILES],
    reach: (input, { workspace }) => ({
      paths: candidatePaths(stringArgument(input, 'path'), { workspace, homeDirectory }),
    }),
    run: (input, { workspace, signal }) =>
      answering(async () => {
        if (signal.aborted) throw toolFault('cancelled', 'Operation aborted');
        const path = resolvePath(stringArgument(input, 'path'), { workspace, homeDirectory });
        const found = await readFoundFile(path);
        if (found === null) {
          throw toolFault('not_found', `ENOENT: no such file or directory, open '${path}'`);
        }
        const { text, isText } = openContent(found.bytes);
        const first = Math.max(1, Math.floor(optionalNumber(input, 'offset') ?? 1));
        const limit = Math.min(limitArgument(input, MAX_LINES), MAX_LINES);
        return showLines(fileLines(text), { first, limit, isText });
      }),
  });
}

function showLines(
  lines: FileLines,
  wanted: { readonly first: number; readonly limit: number; readonly isText: boolean },
): ToolResult {
  const { first, limit, isText } = wanted;
  const { count } = lines;
  if (first > Math.max(1, count)) {
    const message = `Offset ${first} is beyond end of file (${count} lines total)`;
    throw toolFault('invalid_arguments', message);
  }
  const rows: string[] = [];
  let bytes = 0;
  for (let line = first; line <= count && rows.length < limit; line++) {
    const text = lines.text(line);
    const row = showRow(anchorOf(line, text, { isText }), clipLine(text, MAX_UNITS));
    bytes += Buffer.byteLength(row) + 1;
    if (bytes > MAX_BYTES) break;
    rows.push(row);
  }
  const last = first + rows.length - 1;
  if (last >= count) return shown(rows.length === 0 ? '(empty file)' : rows.join('\n'), false);
  const notice = `[Showing lines ${first}-${last} of ${count}. Use offset=${last + 1} to continue.]`;
  return shown(`${rows.join('\n')}\n\n${notice}`, true);
}

function shown(text: string, truncated: boolean): ToolResult {
  return { kind: 'done', text, truncated, data: { truncated } };
}

/** Short enough that one line always fits. */
const MAX_UNITS = 4000;
