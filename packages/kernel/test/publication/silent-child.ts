import { openKernel } from '@millforge/kernel';
import { createPublications } from '@millforge/kernel/publication';
import { crashClock, crashIds, crashScope } from '../crash/finish-goal.ts';

// node silent-child.mjs TRAIL   sends the approved publication to a receiver that never answers
const kernel = await openKernel({
  path: process.argv[2] ?? '',
  clock: crashClock,
  ids: crashIds,
});
const name = { goalId: 'goal', publicationId: 'publication-1' };
await createPublications(kernel).dispatch(crashScope, name, {
  confirmApprover: () => true,
  publisher: {
    name: 'test',
    target: 'somewhere',
    settleMs: null,
    publish: () => {
      process.stdout.write('sending\n');
      return new Promise(() => undefined);
    },
    inspect: async () => ({ kind: 'unknown' }),
  },
});
