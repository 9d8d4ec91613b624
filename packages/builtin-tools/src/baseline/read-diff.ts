import { digest, type JsonObject, type Tool } from '@millforge/contracts';
import { BYTES, limitArgument, optionalStrings } from '../arguments.ts';
import { type FindRun, runOf } from '../builtin-run.ts';
import { BOOLEAN, defineBuiltinTool, INTEGER, STRING, STRINGS } from '../define-builtin-tool.ts';
import { boundedText } from '../files/bounded-text.ts';
import type { PathPolicy } from '../paths/create-path-policy.ts';
import type { LogicalPath } from '../paths/logical-path.ts';
import { answering, checking, toolFault } from '../tool-faults.ts';
import { diffWorkspace } from './diff-workspace.ts';

/** What is needed to compare the workspace of a run with its beginning. */
export interface DiffAccess {
  readonly policy: PathPolicy;
  readonly findRun: FindRun;
}

/** Makes the tool that shows what has changed since the run began. */
export function readDiffTool(access: DiffAccess): Tool {
  const { policy } = access;
  return defineBuiltinTool({
    idEnd: 'workspace.read_diff',
    name: 'read_workspace_diff',
    description:
      'Show what has changed in the workspace since the run began, as a unified diff; new files are in it. paths narrows it to files and folders. Cut after max_bytes (default 32768).',
    properties: { paths: STRINGS, max_bytes: INTEGER },
    required: [],
    results: { diff: STRING, truncated: BOOLEAN, diff_sha256: STRING },
    requiredResults: ['diff', 'truncated', 'diff_sha256'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: ['workspace.diff.read'],
    check: (input) => checking(() => pathsOf(policy, input)),
    reach(input) {
      const paths = pathsOf(policy, input).map(({ text }) => `${text === '' ? '.' : text}/`);
      return { paths: paths.length === 0 ? ['./'] : paths };
    },
    run: (input, context) =>
      answering(context.signal, async () => {
        const bytes = await diffOfRun(access, { ...context, paths: pathsOf(policy, input) });
        const { text, isCut } = boundedText(bytes, limitArgument(input, 'max_bytes', BYTES));
        return {
          kind: 'done',
          text: text === '' ? 'nothing has changed' : text,
          truncated: isCut,
          data: {
            status: 'success',
            summary: bytes.length === 0 ? 'nothing has changed' : `${bytes.length} bytes of diff`,
            diff: text,
            truncated: isCut,
            diff_sha256: digest(bytes.toString()),
          },
        };
      }),
  });
}

/**
 * The whole diff of a run, byte for byte.
 *
 * @throws `tool/policy_denied` for a run without a baseline.
 */
export async function diffOfRun(
  { policy, findRun }: DiffAccess,
  call: {
    readonly runId: string;
    readonly workspace: string | null;
    readonly paths: readonly LogicalPath[];
    readonly signal: AbortSignal;
  },
): Promise<Buffer> {
  const { baseline } = runOf(findRun, call.runId);
  if (baseline === null) {
    throw toolFault(
      'policy_denied',
      'baseline_missing: the beginning of this run was not captured.',
    );
  }
  await using workspace = await policy.openWorkspace(call.workspace);
  return await diffWorkspace({ workspace, baseline, paths: call.paths, signal: call.signal });
}

function pathsOf(policy: PathPolicy, input: JsonObject): readonly LogicalPath[] {
  const paths = optionalStrings(input, 'paths') ?? [];
  return paths.map((path) => policy.checkRead(path, { allowDot: true }));
}
