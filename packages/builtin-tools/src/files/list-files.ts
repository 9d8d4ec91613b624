import type { Tool } from '@millforge/contracts';
import { limitArgument, optionalString, RESULTS, stringArgument } from '../arguments.ts';
import { BOOLEAN, defineBuiltinTool, INTEGER, STRING, STRINGS } from '../define-builtin-tool.ts';
import type { PathPolicy } from '../paths/create-path-policy.ts';
import { compileGlob } from './compile-glob.ts';
import { walkTree } from './walk-tree.ts';
import { readingStages } from './workspace-tools.ts';

/** Makes the tool that lists the files below a folder. */
export function listFilesTool(policy: PathPolicy): Tool {
  return defineBuiltinTool({
    idEnd: 'workspace.list_files',
    name: 'list_workspace_files',
    description:
      'List the files below a folder of the workspace, in the order of their paths; "." is the whole workspace. glob narrows the list: *.ts for names, src/**/*.ts for paths. Files that .gitignore names are left out.',
    properties: { root: STRING, glob: STRING, max_results: INTEGER },
    required: ['root'],
    results: { paths: STRINGS, truncated: BOOLEAN },
    requiredResults: ['paths', 'truncated'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: ['workspace.read'],
    ...readingStages({
      policy,
      argument: 'root',
      isFolder: true,
      async act(workspace, input, { signal }) {
        const root = policy.checkRead(stringArgument(input, 'root'), { allowDot: true });
        const limit = limitArgument(input, 'max_results', RESULTS);
        const glob = compileGlob(optionalString(input, 'glob') || '*');
        const entry = await workspace.openFolder(root);
        const paths: string[] = [];
        try {
          for await (const { path } of walkTree(entry, { workspace, signal })) {
            if (glob(path)) paths.push(path);
            // One more than is shown tells whether there are more.
            if (paths.length > limit) break;
          }
        } finally {
          await entry.close();
        }
        const truncated = paths.length > limit;
        const shownPaths = paths.slice(0, limit);
        const summary = `${shownPaths.length}${truncated ? ' of more' : ''} files`;
        return {
          kind: 'done',
          text:
            [...shownPaths, ...(truncated ? [`[truncated after ${limit} files]`] : [])].join(
              '\n',
            ) || 'no files',
          truncated,
          data: { status: 'success', summary, paths: shownPaths, truncated },
        };
      },
    }),
  });
}
