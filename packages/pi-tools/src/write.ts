import type { JsonObject, Tool } from '@millforge/contracts';
import { definePiTool, WRITE_FILES } from './define-pi-tool.ts';
import { prepareChange, reconcileChange } from './file-change.ts';
import { takeTurn } from './file-queue.ts';
import { findWritableFile } from './found-file.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { profileSwitches } from './profile.ts';
import { candidatePaths, resolvePath } from './resolve-path.ts';
import { stringArgument } from './tool-arguments.ts';
import { refusing } from './tool-fault.ts';

/** Makes the tool that creates a file or replaces its content. */
export function writeTool(options: PiToolOptions): Tool {
  const { homeDirectory, onEffect } = options;
  const { exactPathFirst, countsBytes } = profileSwitches(options.profile);
  return definePiTool({
    name: 'write',
    description:
      'Write a file: creates it, with missing folders, or replaces its whole content. Use edit to change a part of an existing file.',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
    results: { changed_path: { type: 'string' } },
    sideEffect: 'workspace_write',
    idempotency: 'idempotent_with_key',
    capabilities: [WRITE_FILES],
    reach: (input, { workspace }) => ({
      paths: candidatePaths(stringArgument(input, 'path'), {
        workspace,
        homeDirectory,
        exactPathFirst,
      }),
      bytes: Buffer.byteLength(stringArgument(input, 'content')),
    }),
    prepare: (input: JsonObject, { workspace, signal }) =>
      refusing(async () => {
        const sent = stringArgument(input, 'path');
        const path = resolvePath(sent, { workspace, homeDirectory, exactPathFirst });
        const turn = await takeTurn(path, signal);
        try {
          const content = stringArgument(input, 'content');
          const bytes = Buffer.from(content);
          const size = countsBytes ? bytes.length : content.length;
          return prepareChange({
            tool: 'write',
            turn,
            found: await findWritableFile(turn.target),
            bytes,
            text: `Successfully wrote ${size} bytes to ${sent}`,
            data: {},
            workspace,
            isDurable: options.durable === true,
            onEffect,
          });
        } catch (error) {
          turn.release();
          throw error;
        }
      }),
    reconcile: (input, context) => reconcileChange(context, stringArgument(input, 'content')),
  });
}
