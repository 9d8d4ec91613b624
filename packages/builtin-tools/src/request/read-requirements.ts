import type { Tool } from '@millforge/contracts';
import { artifactRefs, type BuiltinRun, type FindRun, runOf } from '../builtin-run.ts';
import { BOOLEAN, defineBuiltinTool, STRINGS } from '../define-builtin-tool.ts';
import { answering } from '../tool-faults.ts';

/** Makes the tool that lists what the request grants and demands. */
export function readRequirementsTool(findRun: FindRun): Tool {
  return defineBuiltinTool({
    idEnd: 'request.read_requirements',
    name: 'read_request_requirements',
    description:
      'List what the request grants and demands: capability:… that you may use, artifact:… that exist in this harness, terminal:RESULT:artifacts:… that have to be written before the end with that result.',
    properties: {},
    required: [],
    results: { requirements: STRINGS, artifact_refs: STRINGS, truncated: BOOLEAN },
    requiredResults: ['requirements', 'artifact_refs'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: ['request.read'],
    run: (_input, { runId, signal }) =>
      answering(signal, async () => {
        const run = runOf(findRun, runId);
        const { refs, isCut } = await artifactRefs(run);
        const all = requirementsOf(run);
        const requirements = all.slice(0, MAX_REQUIREMENTS);
        const truncated = isCut || requirements.length < all.length;
        return {
          kind: 'done',
          text: requirements.join('\n') || 'no requirements',
          truncated,
          data: {
            status: 'success',
            summary: `${requirements.length} requirements`,
            requirements,
            artifact_refs: refs,
            ...(truncated ? { truncated } : {}),
          },
        };
      }),
  });
}

function requirementsOf({ grants, plan }: BuiltinRun): readonly string[] {
  const { declared_artifact_ids: declared, required_by_terminal: required } = plan.artifact_policy;
  return [
    ...grants.map((id) => `capability:${id}`),
    ...declared.map((id) => `artifact:${id}`),
    ...required.map(
      ({ terminal_result, artifact_ids }) =>
        `terminal:${terminal_result}:artifacts:${artifact_ids.join(',')}`,
    ),
  ];
}

const MAX_REQUIREMENTS = 1000;
