import type { JsonObject, Tool } from '@millforge/contracts';
import { definePiTool, READ_FILES, WRITE_FILES } from '../define-pi-tool.ts';
import type { Span } from '../edit/apply-matches.ts';
import { describeChange } from '../edit/describe-change.ts';
import { openContent } from '../edit/open-content.ts';
import { openForEdit } from '../edit/open-for-edit.ts';
import { prepareChange, reconcileChange } from '../file-change.ts';
import { takeTurn } from '../file-queue.ts';
import type { ReadFile } from '../found-file.ts';
import type { PiToolOptions } from '../pi-tool-options.ts';
import { candidatePaths, resolvePath } from '../resolve-path.ts';
import { stringArgument } from '../tool-arguments.ts';
import { refusing, toolFault } from '../tool-fault.ts';
import { fileLines } from './file-lines.ts';
import { findRepeats } from './find-repeats.ts';
import { placeEdits } from './place-edits.ts';
import { readAnchoredEdits } from './read-anchored-edits.ts';

/** Makes the tool that changes lines by their anchors, all of them or none. */
export function editAnchoredTool(options: PiToolOptions): Tool {
  const { homeDirectory, onEffect } = options;
  return definePiTool({
    name: 'edit_anchored',
    description:
      'Change lines of a file by their anchors, as read_anchored shows them (12#a3f9). op is replace or delete (lines at … to, or one line), insert_before or insert_after (the line at). text is the new lines, without anchors. Anchors are of the file as it was read; give all changes of one file in one call. All are made or none.',
    properties: {
      path: { type: 'string' },
      edits: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          properties: {
            op: { type: 'string', enum: ['replace', 'delete', 'insert_before', 'insert_after'] },
            at: { type: 'string' },
            to: { type: 'string' },
            text: { type: 'string' },
          },
          required: ['op', 'at'],
        },
      },
    },
    required: ['path', 'edits'],
    results: {
      changed_path: { type: 'string' },
      diff: { type: 'string' },
      patch: { type: 'string' },
      first_changed_line: { type: 'integer' },
    },
    sideEffect: 'workspace_write',
    idempotency: 'idempotent_with_key',
    capabilities: [READ_FILES, WRITE_FILES],
    reach: (input, { workspace }) => ({
      paths: candidatePaths(stringArgument(input, 'path'), { workspace, homeDirectory }),
      bytes: Buffer.byteLength(JSON.stringify(input['edits'] ?? [])),
    }),
    prepare: (input, { workspace, signal }) =>
      refusing(async () => {
        const sent = stringArgument(input, 'path');
        const turn = await takeTurn(resolvePath(sent, { workspace, homeDirectory }), signal);
        try {
          const found = await openForEdit(turn.target, sent);
          const isDurable = options.durable === true;
          const base = {
            tool: 'edit_anchored',
            turn,
            found,
            workspace,
            isDurable,
            onEffect,
          } as const;
          return prepareChange({ ...base, ...changeLines(found, input, sent) });
        } catch (error) {
          turn.release();
          throw error;
        }
      }),
    reconcile: (_input, context) => reconcileChange(context, null),
  });
}

function changeLines(
  found: ReadFile,
  input: JsonObject,
  sent: string,
): { readonly bytes: Buffer; readonly text: string; readonly data: JsonObject } {
  const content = openContent(found.bytes);
  const { text: before, mark, isText } = content;
  const edits = readAnchoredEdits(input).map((edit) => ({
    ...edit,
    lines: edit.lines.map((line) => (isText ? line : Buffer.from(line).toString('latin1'))),
  }));
  const lines = fileLines(before);
  const spans = placeEdits({ text: before, lines, isText, path: sent }, edits);
  const after = applySpans(before, spans);
  if (after === before) {
    throw toolFault('conflict', `No changes made to ${sent}. The lines already say that.`);
  }
  const notes = findRepeats(lines, edits).map((note) => `\n${note}`);
  return {
    bytes: content.encode(after),
    text: `Successfully made ${edits.length} change(s) in ${sent}.${notes.join('')}`,
    data: isText
      ? describe({ path: sent, before: mark + before, after: mark + after, spans }, mark)
      : {},
  };
}

function applySpans(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, newText } of spans) {
    pieces.push(text.slice(at, start), newText);
    at = end;
  }
  return [...pieces, text.slice(at)].join('');
}

function describe(change: Parameters<typeof describeChange>[0], mark: string): JsonObject {
  const spans = change.spans.map(({ start, end, newText }) => ({
    start: start + mark.length,
    end: end + mark.length,
    newText,
  }));
  const { patch, diff, firstChangedLine } = describeChange({ ...change, spans });
  return {
    first_changed_line: firstChangedLine,
    ...(patch === null ? {} : { patch }),
    ...(diff === null ? {} : { diff }),
  };
}
