import type { GuardTool } from '../guard-tool.ts';
import { exampleArguments } from './example-arguments.ts';

/** The schema of a tool and one line that shows a call, for a model whom a sentence did not help. */
export function toolHelp(tool: GuardTool): string {
  if (tool.parameters === null) return '';
  const schema = JSON.stringify(tool.parameters);
  const shown = schema.length <= MAX_SCHEMA ? ` The schema of its arguments: ${schema}` : '';
  const example = exampleArguments(tool.parameters);
  const line =
    example === null ? '' : ` Arguments of the right form, for example: ${JSON.stringify(example)}`;
  return `About ${tool.name}.${shown}${line}`;
}

const MAX_SCHEMA = 1500;
