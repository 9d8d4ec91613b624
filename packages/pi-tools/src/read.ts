import { constants } from 'node:fs';
import { access, type FileHandle } from 'node:fs/promises';
import type { JsonObject, Tool, ToolResult } from '@millforge/contracts';
import { definePiTool, READ_FILES } from './define-pi-tool.ts';
import { formatSize } from './format-size.ts';
import { openPlainFile } from './open-plain-file.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { type ReadLines, readLines } from './read/read-lines.ts';
import { sniffImage } from './read/sniff-image.ts';
import { resolvePath } from './resolve-path.ts';
import { optionalNumber, stringArgument } from './tool-arguments.ts';
import { answering, toolFault } from './tool-fault.ts';
import { MAX_LINES } from './truncate-text.ts';

/** Makes the tool that reads a text file, or part of it. */
export function readTool(options: PiToolOptions): Tool {
  const { homeDirectory } = options;
  return definePiTool({
    name: 'read',
    description:
      'Read a text file. Output is cut to 2000 lines or 50KB, whichever comes first; go on with offset (first line, from 1) and limit (number of lines) until the file is complete.',
    properties: {
      path: { type: 'string' },
      offset: { type: 'number' },
      limit: { type: 'number' },
    },
    required: ['path'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: [READ_FILES],
    run: (input, { workspace, signal }) =>
      answering(async () => {
        const sent = stringArgument(input, 'path');
        const path = await resolvePath(sent, { workspace, homeDirectory }, { lenient: true });
        await access(path, constants.R_OK);
        const { file } = await openPlainFile(path);
        try {
          return await readOpenFile(file, { input, sent, signal });
        } finally {
          await file.close();
        }
      }),
  });
}

async function readOpenFile(
  file: FileHandle,
  call: { readonly input: JsonObject; readonly sent: string; readonly signal: AbortSignal },
): Promise<ToolResult> {
  const image = await sniffImage(file);
  if (image !== null) {
    const { size } = await file.stat();
    return done(
      `Read image file [${image}]\n[Image attachment omitted: ${size} bytes. Only text can be shown.]`,
      false,
    );
  }
  const offset = Math.max(0, Math.floor(optionalNumber(call.input, 'offset') ?? 1) - 1);
  const asked = optionalNumber(call.input, 'limit');
  const limit = asked === null ? null : Math.max(1, Math.floor(asked));
  const lines = await readLines(file, {
    skip: offset,
    maxLines: Math.min(limit ?? MAX_LINES, MAX_LINES),
    signal: call.signal,
  });
  if (offset > 0 && offset >= lines.totalLines) {
    throw toolFault(
      'invalid_arguments',
      `Offset ${offset + 1} is beyond end of file (${lines.totalLines} lines total)`,
    );
  }
  return describe(lines, { offset, limit, sent: call.sent });
}

function describe(
  lines: ReadLines,
  asked: { readonly offset: number; readonly limit: number | null; readonly sent: string },
): ToolResult {
  const { totalLines: total, shownLines: shown } = lines;
  const first = asked.offset + 1;
  const last = asked.offset + shown;
  const next = last + 1;
  if (lines.oversizedFirstLine !== null) {
    const size = formatSize(lines.oversizedFirstLine);
    const hint = `sed -n '${first}p' ${shellQuote(asked.sent)} | head -c 51200`;
    return done(`[Line ${first} is ${size}, exceeds 50.0KB limit. Use bash: ${hint}]`, true);
  }
  const kept = lines.text.endsWith('\n') ? lines.text.slice(0, -1) : lines.text;
  if (lines.isCutByBytes) {
    const notice = `[Showing lines ${first}-${last} of ${total} (50.0KB limit). Use offset=${next} to continue.]`;
    return done(`${kept}\n\n${notice}`, true);
  }
  if (last >= total) return done(lines.text, false);
  if (asked.limit !== null && shown >= asked.limit) {
    const notice = `[${total - last} more lines in file. Use offset=${next} to continue.]`;
    return done(`${kept}\n\n${notice}`, false);
  }
  const notice = `[Showing lines ${first}-${last} of ${total}. Use offset=${next} to continue.]`;
  return done(`${kept}\n\n${notice}`, true);
}

function done(text: string, truncated: boolean): ToolResult {
  return { kind: 'done', text, truncated, data: { truncated } };
}

function shellQuote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
