import {
  type CapabilityGrant,
  type JsonValue,
  readCapabilityGrant,
  readJson,
  toPlainJson,
} from '@millforge/contracts';
import { usageError } from '../cli-error.ts';

/**
 * Reads one `--grant`: a capability, or `CAPABILITY={"paths":["src/**"]}` for one that goes only so far.
 *
 * @throws `cli/usage` for constraints that are none; the compiler judges what is a capability.
 */
export function readGrantFlag(given: string): string | CapabilityGrant {
  const at = given.indexOf('=');
  if (at === -1) return given;
  const read = readCapabilityGrant({
    capability_id: given.slice(0, at),
    constraints: constraintsOf(given.slice(at + 1)),
  });
  if (read.ok) return read.grant;
  throw wrongGrant(`it is wrong at ${read.path || '/'}: expected ${read.expected}`);
}

function constraintsOf(text: string): JsonValue {
  const read = readJson(text);
  if (!read.ok) throw wrongGrant(`what follows = is not valid JSON: ${read.message}`);
  return toPlainJson(read.value);
}

function wrongGrant(why: string): Error {
  return usageError(
    `--grant takes a capability, or a capability, = and its constraints as JSON; ${why.replace(/[.]$/, '')}.`,
  );
}
