import {
  isSha256,
  type JsonObject,
  sha256,
  type Tool,
  type ToolRefusal,
} from '@millforge/contracts';
import { optionalString, stringArgument } from '../arguments.ts';
import { BOOLEAN, defineBuiltinTool, STRING } from '../define-builtin-tool.ts';
import type { OnEffect } from '../on-effect.ts';
import type { PathPolicy, WriteTarget } from '../paths/create-path-policy.ts';
import { shown } from '../paths/path-fault.ts';
import { checking, refusing, toolFault } from '../tool-faults.ts';
import { prepareChanges, reconcileChanges } from './file-changes.ts';
import { takeTurns } from './file-turns.ts';

/** Makes the tool that replaces the content of one file. */
export function writeFileTool(policy: PathPolicy, onEffect?: OnEffect): Tool {
  return defineBuiltinTool({
    idEnd: 'workspace.write_file',
    name: 'write_workspace_file',
    description:
      'Replace the whole content of one file of the workspace, or create it in a folder that exists. With expected_sha256 only if its content has that digest, with expected_absent only if it does not exist. To change a part of a file use a patch.',
    properties: {
      path: STRING,
      content: STRING,
      expected_sha256: STRING,
      expected_absent: BOOLEAN,
    },
    required: ['path', 'content'],
    results: { path: STRING, content_sha256: STRING },
    requiredResults: ['path', 'content_sha256'],
    sideEffect: 'workspace_write',
    idempotency: 'idempotent_with_key',
    capabilities: ['workspace.write'],
    check: (input) =>
      checking(() => policy.checkWrite(stringArgument(input, 'path'))) ?? conditionFault(input),
    reach: (input) => ({
      paths: [policy.checkWrite(stringArgument(input, 'path')).text],
      bytes: Buffer.byteLength(stringArgument(input, 'content')),
    }),
    prepare: (input, context) =>
      refusing(async () => {
        const path = policy.checkWrite(stringArgument(input, 'path'));
        await using workspace = await policy.openWorkspace(context.workspace);
        const { path: resolved } = await workspace.readTarget(path);
        const release = await takeTurns([`${context.workspace}\0${resolved}`], context.signal);
        try {
          const target = await workspace.readTarget(path);
          assertExpected(input, target);
          const bytes = Buffer.from(stringArgument(input, 'content'));
          const summary = `wrote ${bytes.length} bytes to ${shown(path.text)}`;
          return prepareChanges({
            policy,
            root: context.workspace,
            changes: [{ target, bytes, mode: null }],
            text: summary,
            data: {
              status: 'success',
              summary,
              path: target.path,
              content_sha256: sha256(bytes),
            },
            onEffect,
            release,
          });
        } catch (error) {
          release();
          throw error;
        }
      }),
    reconcile: (_input, context) => reconcileChanges(policy, context),
  });
}

function conditionFault(input: JsonObject): ToolRefusal | null {
  const expected = optionalString(input, 'expected_sha256');
  if (expected === null) return null;
  if (!isSha256(expected)) return invalid('expected_sha256 must be 64 lower-case hex digits.');
  return input['expected_absent'] === true
    ? invalid('expected_sha256 and expected_absent exclude each other; give one of them.')
    : null;
}

function invalid(message: string): ToolRefusal {
  return { kind: 'refused', code: 'invalid_arguments', message };
}

function assertExpected(input: JsonObject, { asked, found }: WriteTarget): void {
  const expected = optionalString(input, 'expected_sha256');
  const path = shown(asked.text);
  if (input['expected_absent'] === true && found !== null) {
    throw toolFault('conflict', `expected_absent: ${path} exists already.`);
  }
  if (expected === null || found?.sha256 === expected) return;
  const state = found === null ? 'does not exist any more' : `has the digest ${found.sha256}`;
  throw toolFault('conflict', `expected_sha256: ${path} ${state}; read it again.`);
}
