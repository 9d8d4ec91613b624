import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MillforgeError, type Tool } from '@millforge/contracts';
import { documentError, systemCode, usageError } from '../cli-error.ts';

/**
 * Loads a module of tools, which executes it: its default export or its named exports are tools, or lists of
 * them.
 *
 * @throws `cli/usage` for a path without a file; `cli/document` for a module that cannot be loaded or has no
 * tool; whatever `defineTool` throws.
 */
export async function loadTools(path: string, cwd: string): Promise<readonly Tool[]> {
  const file = resolve(cwd, path);
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true) throw usageError(`There is no module at ${path}.`);
  const tools = Object.values(await load(file, path)).flatMap(toolsIn);
  const unique = [...new Set(tools)];
  if (unique.length > 0) return unique;
  throw documentError(`${path} exports no tool; export what defineTool returns.`);
}

async function load(file: string, path: string): Promise<object> {
  try {
    const module: unknown = await import(pathToFileURL(file).href);
    return typeof module === 'object' && module !== null ? module : {};
  } catch (cause) {
    if (MillforgeError.is(cause)) throw cause;
    if (systemCode(cause) === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw documentError(
        `This Node cannot load ${path}; compile it to JavaScript first, or start millforge under a loader such as tsx.`,
        cause,
      );
    }
    const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : 'it threw no error';
    throw documentError(`${path} cannot be loaded: ${why.replaceAll(/\s+/g, ' ')}`, cause);
  }
}

function toolsIn(value: unknown): readonly Tool[] {
  if (Array.isArray(value)) return value.flatMap(toolsIn);
  return isTool(value) ? [value] : [];
}

/** What else a tool must be is for the registry to say. */
function isTool(value: unknown): value is Tool {
  return (
    typeof value === 'object' &&
    value !== null &&
    'descriptor' in value &&
    typeof value.descriptor === 'object' &&
    'implementation' in value &&
    typeof value.implementation === 'object'
  );
}
