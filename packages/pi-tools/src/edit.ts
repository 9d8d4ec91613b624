import type { JsonObject, Tool } from '@millforge/contracts';
import { definePiTool, READ_FILES, WRITE_FILES } from './define-pi-tool.ts';
import { applyMatches } from './edit/apply-matches.ts';
import { type Change, describeChange } from './edit/describe-change.ts';
import { explainMiss } from './edit/explain-miss.ts';
import { type Edit, matchEdits } from './edit/match-edits.ts';
import { openContent } from './edit/open-content.ts';
import { openForEdit } from './edit/open-for-edit.ts';
import { readEdits } from './edit/read-edits.ts';
import { lineFeedView } from './edit/text-view.ts';
import { prepareChange, reconcileChange } from './file-change.ts';
import { takeTurn } from './file-queue.ts';
import type { ReadFile } from './found-file.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { type ProfileSwitches, profileSwitches } from './profile.ts';
import { candidatePaths, resolvePath } from './resolve-path.ts';
import { stringArgument } from './tool-arguments.ts';
import { refusing, toolFault } from './tool-fault.ts';

/** Makes the tool that replaces passages of one file, all of them or none. */
export function editTool(options: PiToolOptions): Tool {
  const { homeDirectory, onEffect } = options;
  const profile = profileSwitches(options.profile);
  const { exactPathFirst, forgivesEdits: forgives } = profile;
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
      diff: { type: 'string' },
      patch: { type: 'string' },
      first_changed_line: { type: 'integer' },
    },
    sideEffect: 'workspace_write',
    idempotency: 'idempotent_with_key',
    capabilities: [READ_FILES, WRITE_FILES],
    reach: (input, { workspace }) => ({
      paths: candidatePaths(stringArgument(input, 'path'), {
        workspace,
        homeDirectory,
        exactPathFirst,
      }),
      bytes: (readEdits(input, { forgives }) ?? []).reduce(
        (sum, { newText }) => sum + Buffer.byteLength(newText),
        0,
      ),
    }),
    check: (input) =>
      readEdits(input, { forgives }) === null
        ? { kind: 'refused', code: 'invalid_arguments', message: NO_EDITS }
        : null,
    prepare: (input, { workspace, signal }) =>
      refusing(async () => {
        const sent = stringArgument(input, 'path');
        const path = resolvePath(sent, { workspace, homeDirectory, exactPathFirst });
        const turn = await takeTurn(path, signal);
        try {
          const edits = readEdits(input, { forgives });
          if (edits === null) throw toolFault('invalid_arguments', NO_EDITS);
          const found = await openForEdit(turn.target, sent);
          const changed = changeText(found, edits, { sent, profile });
          const isDurable = options.durable === true;
          const base = { tool: 'edit', turn, found, workspace, isDurable, onEffect } as const;
          return prepareChange({ ...base, ...changed });
        } catch (error) {
          turn.release();
          throw error;
        }
      }),
    reconcile: (_input, context) => reconcileChange(context, null),
  });
}

function changeText(
  found: ReadFile,
  edits: readonly Edit[],
  call: { readonly sent: string; readonly profile: ProfileSwitches },
): { readonly bytes: Buffer; readonly text: string; readonly data: JsonObject } {
  const { sent, profile } = call;
  const content = openContent(found.bytes);
  const { mark, text: before } = content;
  const matched = matchEdits(before, edits.map(content.spell), content);
  if (!matched.ok) {
    const explains = profile.explainsMisses && content.isText;
    const message = explainMiss(matched.miss, { text: before, path: sent, edits, explains });
    const note = profile.explainsMisses && !content.isText ? otherEncoding(found.bytes) : '';
    throw toolFault(
      matched.miss.kind === 'empty' ? 'invalid_arguments' : 'conflict',
      `${message}${note}`,
    );
  }
  const { text: after, spans } = applyMatches(before, matched.matches);
  if (after === before) throw toolFault('conflict', noChange(sent, edits.length));
  return {
    bytes: content.encode(after),
    text: `Successfully replaced ${edits.length} block(s) in ${sent}.`,
    data: content.isText ? describe({ path: sent, before, after, spans }, mark, profile) : {},
  };
}

/** What a model that has read the file cannot see of it. */
function otherEncoding(bytes: Buffer): string {
  const isWide = ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2));
  return isWide
    ? ' The file is UTF-16, where no text matches; change it with bash.'
    : ' The file holds bytes that are not UTF-8, which read shows as \uFFFD; leave them out of the text.';
}

function describe(change: Change, mark: string, profile: ProfileSwitches): JsonObject {
  const shift = mark.length;
  const { patch, diff, firstChangedLine } = describeChange(
    profile.patchesBytes
      ? {
          path: change.path,
          before: mark + change.before,
          after: mark + change.after,
          spans: change.spans.map(({ start, end, newText }) => ({
            start: start + shift,
            end: end + shift,
            newText,
          })),
        }
      : withLineFeeds(change),
  );
  return {
    first_changed_line: firstChangedLine,
    ...(patch === null ? {} : { patch }),
    ...(diff === null ? {} : { diff }),
  };
}

/** The change as Pi shows it, with every line ending as one line feed. */
function withLineFeeds(change: Change): Change {
  const before = lineFeedView(change.before).text;
  const after = lineFeedView(change.after).text;
  return {
    path: change.path,
    before,
    after,
    spans: [{ start: 0, end: before.length, newText: after }],
  };
}

function noChange(sent: string, edits: number): string {
  return edits === 1
    ? `No changes made to ${sent}. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.`
    : `No changes made to ${sent}. The replacements produced identical content.`;
}

const NO_EDITS = 'Edit tool input is invalid. edits must contain at least one replacement.';
