import { openShop } from '../support/shop.ts';

// node child.mjs DIRECTORY   starts a run whose call is declined, and dies right behind the record of it

let isDeclined = false;
const shop = openShop(process.argv[2]);
await using millforge = shop.open({
  approvalProvider: {
    async request() {
      isDeclined = true;
      return { kind: 'declined', actor: 'ann', reason: 'too dear' };
    },
  },
  failpoint(name) {
    if (isDeclined && name === 'after:record-operation') process.kill(process.pid, 'SIGKILL');
  },
});
const run = await shop.start(millforge, {
  runId: 'run_shop',
  approvals: { kind: 'approval_policy', schema_version: '1.0', rules: [], required: 'ask' },
});
await run.result;
