import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRedactor, MillforgeError, type Tool } from '@millforge/contracts';
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
  const tools = new Set<Tool>();
  collectTools(await exportsOf(file, path), { tools, seen: new Set() });
  if (tools.size > 0) return [...tools];
  throw documentError(`${path} exports no tool; export what defineTool returns.`);
}

async function exportsOf(file: string, path: string): Promise<readonly unknown[]> {
  try {
    const module: unknown = await import(pathToFileURL(file).href);
    return typeof module === 'object' && module !== null ? Object.values(module) : [];
  } catch (cause) {
    if (MillforgeError.is(cause)) throw cause;
    if (systemCode(cause) === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw documentError(
        `This Node cannot load ${path}; compile it to JavaScript first, or put a loader before it: NODE_OPTIONS='--import tsx' millforge tools check ${path}.`,
        cause,
      );
    }
    const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : 'it threw no error';
    const said = createRedactor().text(why).replaceAll(/\s+/g, ' ');
    throw documentError(`${path} cannot be loaded: ${said}`, cause);
  }
}

/** Looks into each list once: one may hold itself. */
function collectTools(
  values: readonly unknown[],
  found: { readonly tools: Set<Tool>; readonly seen: Set<unknown> },
): void {
  for (const value of values) {
    if (found.seen.has(value)) continue;
    found.seen.add(value);
    if (Array.isArray(value)) collectTools(value, found);
    else if (isTool(value)) found.tools.add(value);
  }
}

/** What else a tool must be is for the registry to say. */
function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return (
      'descriptor' in value &&
      typeof value.descriptor === 'object' &&
      'implementation' in value &&
      typeof value.implementation === 'object'
    );
  } catch {
    // A getter of the module threw: whatever it is, no tool came out of it.
    return false;
  }
}
