import { resolve } from 'node:path';
import { type JsonValue, readJson, toPlainJson } from '@millforge/contracts';
import { documentError } from '../cli-error.ts';
import type { CliHost } from '../output/terminal.ts';
import { readInputFile } from './read-input-file.ts';

/**
 * Reads the schema of a structured result from a file; null when none is named.
 *
 * @throws `cli/usage` when there is no such file; `cli/document` when it is no JSON.
 */
export async function readOutputSchema(
  host: CliHost,
  given: string | null,
): Promise<JsonValue | null> {
  if (given === null) return null;
  const path = resolve(host.cwd, given);
  const content = await readInputFile({ path, what: 'output schema', maxBytes: MAX_SCHEMA_BYTES });
  if (content.length > MAX_SCHEMA_BYTES) {
    throw documentError(`The output schema ${path} is larger than ${MAX_SCHEMA_BYTES} bytes.`);
  }
  const read = readJson(content.toString('utf8'));
  if (!read.ok) throw documentError(`The output schema ${path} is not valid JSON: ${read.message}`);
  return toPlainJson(read.value);
}

const MAX_SCHEMA_BYTES = 65_536;
