import { resolve } from 'node:path';
import { type JsonValue, readJson, toPlainJson } from '@millforge/contracts';
import { documentError } from '../cli-error.ts';
import type { CliHost } from '../output/terminal.ts';
import { readInputFile } from './read-input-file.ts';

/**
 * Reads the file of a development's contract as JSON; what it says is for the product to read.
 *
 * @throws `cli/usage` when there is no such file; `cli/document` when it is no JSON.
 */
export async function readDevelopContractFile(host: CliHost, given: string): Promise<JsonValue> {
  const path = resolve(host.cwd, given);
  const content = await readInputFile({ path, what: 'contract', maxBytes: MAX_CONTRACT_BYTES });
  if (content.length > MAX_CONTRACT_BYTES) {
    throw documentError(`The contract ${path} is larger than ${MAX_CONTRACT_BYTES} bytes.`);
  }
  const read = readJson(content.toString('utf8'));
  if (!read.ok) throw documentError(`The contract ${path} is not valid JSON: ${read.message}`);
  return toPlainJson(read.value);
}

const MAX_CONTRACT_BYTES = 1_048_576;
