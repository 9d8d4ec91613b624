import { sha256, type Tool } from '@millforge/contracts';
import { BYTES, limitArgument, stringArgument } from '../arguments.ts';
import { BOOLEAN, defineBuiltinTool, INTEGER, STRING, STRINGS } from '../define-builtin-tool.ts';
import type { PathPolicy } from '../paths/create-path-policy.ts';
import { shown } from '../paths/path-fault.ts';
import { toolFault } from '../tool-faults.ts';
import { BINARY_HEAD, boundedText, isBinary } from './bounded-text.ts';
import { findLineStart } from './find-line-start.ts';
import { readingStages } from './workspace-tools.ts';

/** Makes the tool that returns the text of one file. */
export function readFileTool(policy: PathPolicy): Tool {
  return defineBuiltinTool({
    idEnd: 'workspace.read_file',
    name: 'read_workspace_file',
    description:
      'Read the text of one file of the workspace. Give a path relative to the workspace, such as src/a.ts. Long files are cut after max_bytes (default 32768); start_line begins further down, as the end of a cut text says.',
    properties: { path: STRING, start_line: INTEGER, max_bytes: INTEGER },
    required: ['path'],
    results: {
      content: STRING,
      truncated: BOOLEAN,
      artifact_refs: STRINGS,
      content_sha256: STRING,
      next_line: INTEGER,
    },
    requiredResults: ['content', 'truncated', 'artifact_refs'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: ['workspace.read'],
    ...readingStages({
      policy,
      argument: 'path',
      isFolder: false,
      async act(workspace, input, { signal }) {
        const path = stringArgument(input, 'path');
        const limit = limitArgument(input, 'max_bytes', BYTES);
        await using file = await workspace.openFile(policy.checkRead(path));
        const { size } = file.stats;
        const startLine = limitArgument(input, 'start_line', LINES);
        const start = await findLineStart(file, { line: startLine, signal });
        const bytes = await file.read(start, Math.min(size - start, limit + 1));
        if (isBinary(start === 0 ? bytes : await file.read(0, BINARY_HEAD))) {
          const message = `binary_file: ${shown(path)} is binary, ${size} bytes; only text is read.`;
          throw toolFault('policy_denied', message);
        }
        const content = boundedText(bytes, limit);
        const text = boundedText(bytes, Math.min(limit, MAX_TEXT));
        // What the model has read decides, which can be less than the content.
        const nextLine = startLine + text.text.split('\n').length - 1;
        const hasNext = text.isCut && nextLine > startLine;
        const isWhole = start === 0 && !content.isCut;
        return {
          kind: 'done',
          text: hasNext ? `${text.text}\n[continue with start_line ${nextLine}]` : text.text,
          truncated: text.isCut,
          data: {
            status: 'success',
            summary: `${shown(path)}: ${size} bytes${isWhole ? '' : `, ${bytes.length > limit ? limit : bytes.length} of them shown, from line ${startLine}`}`,
            content: content.text,
            truncated: content.isCut,
            artifact_refs: [],
            ...(isWhole ? { content_sha256: sha256(bytes) } : {}),
            ...(hasNext ? { next_line: nextLine } : {}),
          },
        };
      },
    }),
  });
}

/** Only whole lines are begun with, so that nobody reads the second half of what is hidden by its first. */
const LINES = { fallback: 1, greatest: Number.MAX_SAFE_INTEGER };

/** Leaves room for the note within the text of a result. */
const MAX_TEXT = 65_000;
