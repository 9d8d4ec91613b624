import { type HeadedForm, readHeadedCalls } from './read-headed-calls.ts';
import {
  type BlockReading,
  type BlockSource,
  brokenCall,
  type TextCallFormat,
} from './text-call.ts';
import { matchAt, spaced } from './text-walk.ts';

/**
 * Reads calls that are a name and the JSON of its arguments: `name{…}`, `name[ARGS]{…}`,
 * `name[CALL_ID]id[ARGS]{…}`, one or several.
 *
 * Stops before a name that is no tool, as long as one call was read.
 */
export function readNamedCalls(
  source: BlockSource,
  at: number,
  format: TextCallFormat = 'name-and-json',
): BlockReading {
  const { text } = source;
  const name = matchAt(NAME, text, at)?.[1] ?? null;
  return (
    readHeadedCalls(source, at, { ...NAMED, format }) ??
    brokenCall(name, matchAt(CUT_HEAD, text, at) !== null)
  );
}

// White space is bounded: free repetitions side by side would cost its square.
const NAMED: Omit<HeadedForm, 'format'> = {
  tools: 'further',
  head: spaced`[\s,;]{0,8}(?:\[TOOL_CALLS\] )?([A-Za-z_][\w.:/-]{0,127}) (?:\[CALL_ID\][\w-]{1,64} )?(?:\[ARGS\] )?(?=\{)`,
};
const NAME = /\s*([A-Za-z_][\w.:/-]{0,127})/y;
const CUT_HEAD = spaced`\s{0,8}[\w.:/-]{0,128} (?:\[[A-Z_]{0,12}\]?[\w-]{0,64} ){0,3}$`;
