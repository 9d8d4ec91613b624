import type { Tool } from '@millforge/contracts';
import { bashTool } from './bash.ts';
import { blockTool } from './block.ts';
import { editTool } from './edit.ts';
import { explainingAsPi } from './explain-arguments.ts';
import { findTool } from './find.ts';
import { grepTool } from './grep.ts';
import { lsTool } from './ls.ts';
import type { PiToolOptions } from './pi-tool-options.ts';
import { profileSwitches } from './profile.ts';
import { readTool } from './read.ts';
import { rejectTool } from './reject.ts';
import { submitTool } from './submit.ts';
import { writeTool } from './write.ts';

/**
 * Makes the ten Pi-compatible tools: read, bash, edit, write, grep, find, ls, submit, block, reject.
 *
 * They may touch every file and start every program that the user of this process may; what a run is
 * granted decides whether they can be called at all.
 */
export function piTools(options: PiToolOptions = {}): readonly Tool[] {
  const coding = [readTool, bashTool, editTool, writeTool, grepTool, findTool, lsTool];
  return Object.freeze([
    ...coding.map((make) => {
      const tool = make(options);
      // Of these, Pi refuses unknown arguments of `edit` alone.
      return profileSwitches(options.profile).wordsArguments
        ? tool
        : explainingAsPi(tool, { isClosed: make === editTool });
    }),
    submitTool(),
    blockTool(),
    rejectTool(),
  ]);
}
