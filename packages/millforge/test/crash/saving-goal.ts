import type { Adapter, GoalContract } from 'millforge/kernel';

/** A goal whose only task keeps an artifact; no run of a harness comes to those moments. */
export const SAVING_GOAL: GoalContract = {
  kind: 'goal_contract',
  schema_version: '1.0',
  goal_id: 'saving',
  objective: 'Keep some evidence.',
  unchecked: true,
  limits: { units: 1 },
  tasks: [
    {
      task_id: 'save',
      adapter: { kind: 'model', name: 'saving', version: '1', parameters: null },
      doubt: 'operation',
      effect: 'none',
      units: 1,
    },
  ],
};

/** The adapter of that task. */
export const savingAdapter: Adapter = {
  kind: 'model',
  name: 'saving',
  version: '1',
  parameters: null,
  async run(context) {
    const { sha256 } = await context.saveArtifact(Buffer.from('evidence'), {
      mediaType: 'text/plain',
      maxBytes: 100,
    });
    return { sha256 };
  },
};
