import { readJsonAt } from './read-json-block.ts';
import type { BlockReading, BlockSource, TextCall, TextCallFormat } from './text-call.ts';
import { matchAt } from './text-walk.ts';

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
  const calls: TextCall[] = [];
  let end = at;
  for (;;) {
    const [head, name] = matchAt(HEAD, source.text, end) ?? [];
    if (head === undefined || name === undefined || (calls.length > 0 && !source.isTool(name))) {
      return calls.length > 0
        ? { kind: 'calls', calls, end }
        : {
            kind: 'broken',
            name: matchAt(NAME, source.text, at)?.[1] ?? null,
            isCut: matchAt(CUT_HEAD, source.text, at) !== null,
          };
    }
    const block = readJsonAt(source, end + head.length);
    if (!block.ok) return { kind: 'broken', name, isCut: block.isCut };
    calls.push({ name, arguments: block.value, format });
    end = block.end;
  }
}

// White space is bounded: free repetitions side by side would cost its square.
const HEAD =
  /[\s,;]{0,8}(?:\[TOOL_CALLS\]\s{0,4})?([A-Za-z_][\w.:/-]{0,127})\s{0,4}(?:\[CALL_ID\][\w-]{1,64}\s{0,4})?(?:\[ARGS\]\s{0,4})?(?=\{)/y;
const NAME = /\s*([A-Za-z_][\w.:/-]{0,127})/y;
const CUT_HEAD = /\s{0,8}[\w.:/-]{0,128}\s{0,4}(?:\[[A-Z_]{0,12}\]?[\w-]{0,64}\s{0,4}){0,3}$/y;
