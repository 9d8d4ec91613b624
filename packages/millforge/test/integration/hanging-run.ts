import { createMillforge } from 'millforge';
import { GRANTS } from '../crash/scripted-run.ts';
import { compiledPlan } from './compiled-plan.ts';

// node child.mjs DATA WORKSPACE URL RUN   runs a task with a model that does not answer, until it is killed

const [dataDir = '', workspace = '', url = '', runId = ''] = process.argv.slice(2);

const millforge = createMillforge({ dataDir });
await millforge.run({
  plan: compiledPlan(millforge),
  task: 'Wait.',
  workspace,
  grants: GRANTS,
  runId,
  model: {
    kind: 'endpoint',
    profile: { profile_id: 'test.small', base_url: url, model: 'scripted' },
  },
});
