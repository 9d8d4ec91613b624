import type { Tool } from '@millforge/contracts';
import { artifactRefs, type FindRun, runOf } from '../builtin-run.ts';
import { BOOLEAN, defineBuiltinTool, STRING, STRINGS } from '../define-builtin-tool.ts';
import { answering } from '../tool-faults.ts';

/** Makes the tool that shows what the run is about. */
export function inspectRequestTool(findRun: FindRun): Tool {
  return defineBuiltinTool({
    idEnd: 'request.inspect',
    name: 'inspect_request',
    description:
      'Show the request that you work on: its id, its stage, its objective and the artifacts that exist so far.',
    properties: {},
    required: [],
    results: {
      request_id: STRING,
      stage_id: STRING,
      objective: STRING,
      artifact_refs: STRINGS,
      truncated: BOOLEAN,
    },
    requiredResults: ['request_id', 'stage_id', 'objective', 'artifact_refs'],
    sideEffect: 'read_only',
    idempotency: 'idempotent',
    capabilities: ['request.read'],
    run: (_input, { runId, signal }) =>
      answering(signal, async () => {
        const run = runOf(findRun, runId);
        const { refs, isCut } = await artifactRefs(run);
        const stage = run.plan.stage_kind_ids.join(', ');
        const objective = Array.from(run.task).slice(0, MAX_OBJECTIVE).join('');
        const truncated = isCut || objective.length < run.task.length;
        return {
          kind: 'done',
          text: [
            `request: ${runId}`,
            `stage: ${stage}`,
            `artifacts: ${refs.length === 0 ? 'none' : refs.join(', ')}`,
            `objective: ${objective}`,
          ].join('\n'),
          truncated,
          data: {
            status: 'success',
            summary: `request ${runId}`,
            request_id: runId,
            stage_id: stage,
            objective,
            artifact_refs: refs,
            ...(truncated ? { truncated } : {}),
          },
        };
      }),
  });
}

const MAX_OBJECTIVE = 512;
