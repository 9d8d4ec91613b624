import { accessSync, constants } from 'node:fs';
import type { JsonObject, Tool, ToolResult } from '@millforge/contracts';
import { definePiTool, READ_FILES } from './define-pi-tool.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { openPlainFile, type PlainFile } from './plain-file.ts';
import { type ProfileSwitches, profileSwitches } from './profile.ts';
import { describeLines } from './read/describe-lines.ts';
import { readImage } from './read/read-image.ts';
import { readLines } from './read/read-lines.ts';
import { sniffImage } from './read/sniff-image.ts';
import { candidatePaths, resolvePath } from './resolve-path.ts';
import { optionalNumber, stringArgument } from './tool-arguments.ts';
import { answering, toolFault } from './tool-fault.ts';
import { MAX_LINES } from './truncate-text.ts';

/** Makes the tool that reads a text file, or part of it, or shows an image. */
export function readTool(options: PiToolOptions): Tool {
  const { homeDirectory } = options;
  const profile = profileSwitches(options.profile);
  const resizes = options.autoResizeImages !== false;
  return definePiTool({
    name: 'read',
    description:
      'Read a text file, or look at an image (jpg, png, gif, webp). Text is cut to 2000 lines or 50KB, whichever comes first; go on with offset (first line, from 1) and limit (number of lines) until the file is complete.',
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
      paths: candidatePaths(
        stringArgument(input, 'path'),
        { workspace, homeDirectory, exactPathFirst: profile.exactPathFirst },
        { lenient: true },
      ),
    }),
    run: (input, { workspace, signal }) =>
      answering(async () => {
        if (signal.aborted) throw toolFault('cancelled', 'Operation aborted');
        const sent = stringArgument(input, 'path');
        const { exactPathFirst } = profile;
        const context = { workspace, homeDirectory, exactPathFirst };
        const path = resolvePath(sent, context, { lenient: true });
        accessSync(path, constants.R_OK);
        const file = openPlainFile(path);
        try {
          return await readOpenFile(file, { input, sent, signal, profile, resizes });
        } finally {
          file.close();
        }
      }),
  });
}

async function readOpenFile(
  file: PlainFile,
  call: {
    readonly input: JsonObject;
    readonly sent: string;
    readonly signal: AbortSignal;
    readonly profile: ProfileSwitches;
    readonly resizes: boolean;
  },
): Promise<ToolResult> {
  const { input, sent, signal, profile } = call;
  const mediaType = await sniffImage(file, profile);
  if (mediaType !== null) {
    const image = await readImage(file, { mediaType, resizes: call.resizes, profile, signal });
    if (image !== null) return image;
  }
  const offset = optionalNumber(input, 'offset') ?? 1;
  const skip = Math.max(0, Math.floor(offset) - 1);
  const asked = optionalNumber(input, 'limit');
  const limit = asked === null ? null : Math.max(profile.mendsLimits ? 1 : 0, Math.floor(asked));
  const maxLines = Math.min(limit ?? MAX_LINES, MAX_LINES);
  const lines = await readLines(file, { skip, maxLines, signal });
  return describeLines(lines, { skip, offset, limit, sent }, profile);
}
