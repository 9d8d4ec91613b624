// Sends what is approved, and is killed when the push has arrived and nobody knows it yet.
import { createPublications, type Publisher } from 'millforge/kernel/publication';
import { contract, openTrail, publisherFor, scope } from './release.ts';

const folder = process.argv[2] ?? '';
const publisher: Publisher = {
  ...publisherFor(folder),
  async publish(request) {
    await publisherFor(folder).publish(request);
    process.kill(process.pid, 'SIGKILL');
    throw new Error('This process is gone.');
  },
};
await using kernel = await openTrail(folder);
const name = { goalId: contract.goal_id, publicationId: 'publication-1' };
await createPublications(kernel).dispatch(scope, name, { publisher, confirmApprover: () => true });
