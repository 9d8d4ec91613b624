import { documentError } from '../cli-error.ts';
import { readOptionalFile } from '../documents/read-input-file.ts';

/** The text of a configuration file, or null where there is none. */
export async function readConfigFile(path: string): Promise<string | null> {
  const content = await readOptionalFile({
    path,
    what: 'configuration',
    maxBytes: MAX_CONFIG_BYTES,
  });
  if (content === null) return null;
  if (content.length > MAX_CONFIG_BYTES) {
    throw documentError(`${path} is larger than ${MAX_CONFIG_BYTES} bytes; shorten it.`);
  }
  return content.toString('utf8');
}

const MAX_CONFIG_BYTES = 262_144;
