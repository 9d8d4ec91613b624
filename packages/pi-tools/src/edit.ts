import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { JsonObject, Tool } from '@millforge/contracts';
import { definePiTool, READ_FILES, WRITE_FILES } from './define-pi-tool.ts';
import { applyMatches } from './edit/apply-matches.ts';
import { describeChange } from './edit/describe-change.ts';
import { explainMiss } from './edit/explain-miss.ts';
import { type Edit, matchEdits } from './edit/match-edits.ts';
import { prepareChange, reconcileChange } from './file-change.ts';
import { takeTurn } from './file-queue.ts';
import { type FileState, readFileState } from './file-state.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { resolvePath } from './resolve-path.ts';
import { objectsArgument, stringArgument } from './tool-arguments.ts';
import { errnoOf, refusing, toolFault } from './tool-fault.ts';

/** Makes the tool that replaces passages of one file, all of them or none. */
export function editTool(options: PiToolOptions): Tool {
  const { homeDirectory, onEffect } = options;
  return definePiTool({
    name: 'edit',
    description:
      'Edit a file by exact text replacement. Every oldText must match one unique place of the original file; places must not overlap. Give several edits of one file in one call, merge neighbouring changes, and keep oldText as short as uniqueness allows. All edits are made or none.',
    properties: {
      path: { type: 'string' },
      edits: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          properties: { oldText: { type: 'string' }, newText: { type: 'string' } },
          required: ['oldText', 'newText'],
        },
      },
    },
    required: ['path', 'edits'],
    results: {
      changed_path: { type: 'string' },
      patch: { type: 'string' },
      first_changed_line: { type: 'integer' },
    },
    sideEffect: 'workspace_write',
    idempotency: 'idempotent_with_key',
    capabilities: [READ_FILES, WRITE_FILES],
    check: (input) =>
      objectsArgument(input, 'edits').length > 0
        ? null
        : {
            kind: 'refused',
            code: 'invalid_arguments',
            message: 'Edit tool input is invalid. edits must contain at least one replacement.',
          },
    prepare: (input, { workspace, signal }) =>
      refusing(async () => {
        const sent = stringArgument(input, 'path');
        const turn = await takeTurn(() => resolvePath(sent, { workspace, homeDirectory }), signal);
        try {
          const found = await openForEdit(turn.target, sent);
          const changed = changeText(found, input, sent);
          return prepareChange({ tool: 'edit', turn, found, workspace, onEffect, ...changed });
        } catch (error) {
          turn.release();
          throw error;
        }
      }),
    async reconcile(input, context) {
      const { workspace, signal } = context;
      const sent = stringArgument(input, 'path');
      const turn = await takeTurn(() => resolvePath(sent, { workspace, homeDirectory }), signal);
      try {
        return await reconcileChange(turn.target, context);
      } finally {
        turn.release();
      }
    },
  });
}

async function openForEdit(target: string, sent: string): Promise<FileState> {
  try {
    await access(target, constants.R_OK | constants.W_OK);
  } catch (error) {
    const code = errnoOf(error) ?? 'UNKNOWN';
    const kind = code === 'ENOENT' || code === 'ENOTDIR' ? 'not_found' : 'permission_denied';
    throw toolFault(kind, `Could not edit file: ${sent}. Error code: ${code}.`, error);
  }
  const found = await readFileState(target);
  if (found !== null) return found;
  throw toolFault('not_found', `Could not edit file: ${sent}. Error code: ENOENT.`);
}

function changeText(
  found: FileState,
  input: JsonObject,
  sent: string,
): { readonly bytes: Buffer; readonly text: string; readonly data: JsonObject } {
  const content = decode(found.bytes, sent);
  const mark = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const before = content.slice(mark.length);
  const edits = objectsArgument(input, 'edits').map(
    (edit): Edit => ({
      oldText: stringArgument(edit, 'oldText'),
      newText: stringArgument(edit, 'newText'),
    }),
  );
  const matched = matchEdits(before, edits);
  if (!matched.ok) {
    const message = explainMiss(matched.miss, { text: before, path: sent, edits });
    throw toolFault(matched.miss.kind === 'empty' ? 'invalid_arguments' : 'conflict', message);
  }
  const after = applyMatches(before, matched.matches);
  if (after === before) throw toolFault('conflict', noChange(sent, edits.length));
  const { patch, firstChangedLine } = describeChange(sent, before, after);
  return {
    bytes: Buffer.from(mark + after),
    text: `Successfully replaced ${edits.length} block(s) in ${sent}.`,
    data: { first_changed_line: firstChangedLine, ...(patch === null ? {} : { patch }) },
  };
}

function decode(bytes: Buffer, sent: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const message = `Could not edit file: ${sent}. It is not UTF-8 text, and editing it would damage the rest; use bash.`;
    throw toolFault('conflict', message, error);
  }
}

function noChange(sent: string, edits: number): string {
  return edits === 1
    ? `No changes made to ${sent}. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.`
    : `No changes made to ${sent}. The replacements produced identical content.`;
}

const BYTE_ORDER_MARK = '\uFEFF';
