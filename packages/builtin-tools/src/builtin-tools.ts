import type { Tool } from '@millforge/contracts';
import { readArtifactTools } from './artifacts/read-artifact.ts';
import { writeArtifactTools } from './artifacts/write-artifact.ts';
import { diffOfRun, readDiffTool } from './baseline/read-diff.ts';
import type { BuiltinToolOptions } from './builtin-tool-options.ts';
import { listFilesTool } from './files/list-files.ts';
import { readFileTool } from './files/read-file.ts';
import { searchTextTool } from './files/search-text.ts';
import { writeFileTool } from './files/write-file.ts';
import { applyPatchTool } from './patch/apply-patch-tool.ts';
import { createPathPolicy } from './paths/create-path-policy.ts';
import { profileTools } from './process/profile-tools.ts';
import { inspectRequestTool } from './request/inspect-request.ts';
import { readRequirementsTool } from './request/read-requirements.ts';
import { terminalTools } from './terminal/terminal-tools.ts';

/**
 * Makes the built-in tools. They reach files through one path policy only, and start no process but those
 * of the operator's profiles. Making them touches nothing.
 *
 * @throws `builtin-tools/invalid-option` for a profile that cannot be run; `path/<rule>` for a protected path
 * that is none.
 */
export function builtinTools(options: BuiltinToolOptions = {}): readonly Tool[] {
  const { findRun = () => null, onEffect } = options;
  const policy = createPathPolicy(options);
  return Object.freeze([
    inspectRequestTool(findRun),
    readRequirementsTool(findRun),
    listFilesTool(policy),
    readFileTool(policy),
    searchTextTool(policy),
    writeFileTool(policy, onEffect),
    applyPatchTool({ policy, findRun, onEffect }),
    readDiffTool({ policy, findRun }),
    ...profileTools(options, onEffect),
    ...readArtifactTools({ findRun }),
    ...writeArtifactTools({ findRun }, (call) => diffOfRun({ policy, findRun }, call)),
    ...terminalTools(findRun),
  ]);
}
