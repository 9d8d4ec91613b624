import { sha256, type Tool } from '@millforge/contracts';
import { BYTES, limitArgument, stringArgument } from '../arguments.ts';
import { BOOLEAN, defineBuiltinTool, INTEGER, STRING, STRINGS } from '../define-builtin-tool.ts';
import type { PathPolicy } from '../paths/create-path-policy.ts';
import { shown } from '../paths/path-fault.ts';
import { toolFault } from '../tool-faults.ts';
import { boundedText, isBinary } from './bounded-text.ts';
import { readingStages } from './workspace-tools.ts';

/** Makes the tool that returns the text of one file. */
export function readFileTool(policy: PathPolicy): Tool {
  return defineBuiltinTool({
    idEnd: 'workspace.read_file',
    name: 'read_workspace_file',
    description:
      'Read the text of one file of the workspace. Give a path relative to the workspace, such as src/a.ts. Long files are cut after max_bytes (default 32768).',
    properties: { path: STRING, max_bytes: INTEGER },
    required: ['path'],
    results: {
      content: STRING,
      truncated: BOOLEAN,
      artifact_refs: STRINGS,
      content_sha256: STRING,
    },
    requiredResults: ['content', 'truncated', 'artifact_refs'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: ['workspace.read'],
    ...readingStages({
      policy,
      argument: 'path',
      isFolder: false,
      async act(workspace, input) {
        const path = stringArgument(input, 'path');
        const limit = limitArgument(input, 'max_bytes', BYTES);
        await using file = await workspace.openFile(policy.checkRead(path));
        const { size } = file.stats;
        const bytes = await file.read(0, Math.min(size, limit + 1));
        if (isBinary(bytes)) {
          const message = `binary_file: ${shown(path)} is binary, ${size} bytes; only text is read.`;
          throw toolFault('policy_denied', message);
        }
        const { text, isCut } = boundedText(bytes, limit);
        return {
          kind: 'done',
          text,
          truncated: isCut,
          data: {
            status: 'success',
            summary: `${shown(path)}: ${size} bytes${isCut ? `, the first ${limit} of them shown` : ''}`,
            content: text,
            truncated: isCut,
            artifact_refs: [],
            ...(isCut ? {} : { content_sha256: sha256(bytes) }),
          },
        };
      },
    }),
  });
}
