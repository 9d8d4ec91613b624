import { createMillforge, type MillforgeOptions, type ModelSetting } from 'millforge';
import type { DevelopContract } from 'millforge/kernel/develop';

// #region contract
const contract: DevelopContract = {
  kind: 'develop_contract',
  schema_version: '1.0',
  goal_id: 'mend-sum',
  objective: 'Make the sum add.',
  rounds: 2,
  allowed_paths: ['src'],
  criteria: [
    { name: 'test', text: 'The test passes.', command: ['node', 'test/sum.test.js'] },
    {
      name: 'negative-sums',
      text: 'Negative numbers add up as well.',
      command: ['node', '{checks}/zebra.js'],
      hidden: true, // The model is not told, and cannot write to it.
    },
  ],
};
// #endregion

// #region develop
export async function develop(
  places: { readonly candidate: string; readonly checks: string },
  model: ModelSetting,
  options: MillforgeOptions = {},
): Promise<string> {
  await using millforge = createMillforge(options);
  const run = await millforge.develop({ contract, ...places, model });
  const { status, message, patch, handoff } = await run.result;
  const gaps = handoff.gaps.map((gap) => `- ${gap}\n`).join('');
  if (status !== 'success') return `${status}: ${message}\n${gaps}`;
  return `Review ${patch}, then: git apply ${patch}\n${gaps}`;
}
// #endregion
