import type { Tool } from '@millforge/contracts';
import type { BuiltinToolOptions } from './builtin-tool-options.ts';
import { listFilesTool } from './files/list-files.ts';
import { readFileTool } from './files/read-file.ts';
import { searchTextTool } from './files/search-text.ts';
import { writeFileTool } from './files/write-file.ts';
import { applyPatchTool } from './patch/apply-patch-tool.ts';
import { createPathPolicy } from './paths/create-path-policy.ts';

/** Makes the built-in tools. They reach files through one path policy only, and start no process but profiles. */
export function builtinTools(options: BuiltinToolOptions = {}): readonly Tool[] {
  const policy = createPathPolicy(options);
  return Object.freeze([
    listFilesTool(policy),
    readFileTool(policy),
    searchTextTool(policy),
    writeFileTool(policy, options.onEffect),
    applyPatchTool(policy, options.onEffect),
  ]);
}
