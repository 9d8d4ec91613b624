import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedServerReply } from '@millforge/models/testing';

/** A run of three turns in which everything carries one token. */
export function tokenReplies(token: string): readonly ScriptedServerReply[] {
  return [
    { tool_calls: [{ name: 'write', arguments: { path: 'token.txt', content: `${token}\n` } }] },
    { tool_calls: [{ name: 'read', arguments: { path: 'token.txt' } }] },
    {
      tool_calls: [
        { name: 'submit', arguments: { terminal_result: 'COMPLETE', summary: `Kept ${token}.` } },
      ],
    },
  ];
}

/** Keys of its operations. */
export const TOKEN_KEYS = ['model/1', 'tool/1/0', 'model/2', 'tool/2/0', 'model/3', 'tool/3/0'];

/** Makes an empty workspace. */
export function tokenWorkspace(directory: string, token: string): string {
  const workspace = join(directory, 'workspaces', token);
  mkdirSync(workspace, { recursive: true });
  return workspace;
}
