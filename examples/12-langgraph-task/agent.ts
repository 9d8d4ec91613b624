import { join } from 'node:path';
import { contract, letterAdapter, openTrail, scope } from './letter-graph.ts';

// Runs the graph, and dies right behind the letter.
const [folder = ''] = process.argv.slice(2);
const kernel = await openTrail(join(folder, 'data', 'trail.db'));
await kernel.admitGoal(scope, contract);
const adapter = letterAdapter(join(folder, 'outbox.txt'), {
  works: (node) => console.log(`node ${node} works`),
  sent: () => process.kill(process.pid, 'SIGKILL'),
});
await kernel.runGoal(scope, contract.goal_id, { adapters: [adapter] }).done;
