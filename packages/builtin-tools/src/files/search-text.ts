import type { JsonObject, Tool } from '@millforge/contracts';
import { limitArgument, optionalString, RESULTS, stringArgument } from '../arguments.ts';
import { BOOLEAN, defineBuiltinTool, INTEGER, STRING } from '../define-builtin-tool.ts';
import type { PathPolicy } from '../paths/create-path-policy.ts';
import { pathRuleOf } from '../paths/path-fault.ts';
import { compileGlob } from './compile-glob.ts';
import { findLines } from './find-lines.ts';
import { type TreeFile, walkTree } from './walk-tree.ts';
import { readingStages } from './workspace-tools.ts';

/** Makes the tool that finds lines with a literal text. */
export function searchTextTool(policy: PathPolicy): Tool {
  const stages = readingStages({
    policy,
    argument: 'root',
    fallback: '.',
    isFolder: true,
    async act(workspace, input, { signal }) {
      const root = policy.checkRead(optionalString(input, 'root') ?? '.', { allowDot: true });
      const entry = await workspace.openFolder(root);
      const limit = limitArgument(input, 'max_results', RESULTS);
      const glob = compileGlob(optionalString(input, 'glob') || '*');
      const query = Buffer.from(stringArgument(input, 'query'));
      const matches: Match[] = [];
      let skipped = 0;
      try {
        for await (const file of walkTree(entry, { workspace, signal })) {
          if (!glob(file.path)) continue;
          const found = await searchFile(file, {
            query,
            limit: limit + 1 - matches.length,
            signal,
          });
          if (found === null) skipped++;
          else matches.push(...found);
          if (matches.length > limit) break;
        }
      } finally {
        await entry.close();
      }
      return result(matches, { limit, skipped });
    },
  });
  return defineBuiltinTool({
    idEnd: 'workspace.search_text',
    name: 'search_workspace_text',
    description:
      'Find the lines that contain a text, exactly as written (case counts, no patterns), in the files below root (default the whole workspace). glob narrows the files: *.ts, src/**/*.ts. Binary files and files that .gitignore names are left out.',
    properties: { query: STRING, root: STRING, glob: STRING, max_results: INTEGER },
    required: ['query'],
    results: {
      matches: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          properties: { path: STRING, line: INTEGER, snippet: STRING },
          required: ['path', 'line', 'snippet'],
        },
      },
      truncated: BOOLEAN,
    },
    requiredResults: ['matches', 'truncated'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: ['workspace.read', 'workspace.search'],
    ...stages,
    check: (input, context) => queryFault(input) ?? stages.check?.(input, context) ?? null,
  });
}

type Match = { readonly path: string; readonly line: number; readonly snippet: string };

function queryFault(input: JsonObject) {
  const query = stringArgument(input, 'query');
  if (query !== '' && !/[\r\n]/.test(query) && query.length <= 1000) return null;
  return {
    kind: 'refused' as const,
    code: 'invalid_arguments' as const,
    message: 'query must be 1 to 1,000 characters of one line.',
  };
}

/** Null for a file that is not searched: binary, too large, or not to be opened. */
async function searchFile(
  listed: TreeFile,
  search: { readonly query: Buffer; readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly Match[] | null> {
  try {
    await using file = await listed.open();
    const found = await findLines(file, search);
    return found?.map(({ line, snippet }) => ({ path: listed.path, line, snippet })) ?? null;
  } catch (error) {
    if (pathRuleOf(error) === null) throw error;
    return null;
  }
}

function result(
  found: readonly Match[],
  { limit, skipped }: { readonly limit: number; readonly skipped: number },
) {
  const truncated = found.length > limit;
  const matches = found.slice(0, limit);
  const rows = matches.map(({ path, line, snippet }) => `${path}:${line}: ${snippet}`);
  const left = skipped === 0 ? '' : `; ${skipped} binary, large or unreadable files not searched`;
  const summary = `${matches.length}${truncated ? ' of more' : ''} lines${left}`;
  const notes = truncated ? [`[truncated after ${limit} lines]`] : [];
  return {
    kind: 'done' as const,
    text: rows.length === 0 ? `no line contains it${left}` : [...rows, ...notes].join('\n'),
    truncated,
    data: { status: 'success', summary, matches, truncated },
  };
}
