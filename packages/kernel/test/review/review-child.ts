import type { ModelClient } from '@millforge/contracts';
import { openKernel } from '@millforge/kernel';
import { createReview, gitCommit, modelRole, startReview } from '@millforge/kernel/review';
import { crashClock, crashIds, crashScope } from '../crash/finish-goal.ts';

// node review-child.mjs DIRECTORY REPOSITORY URL [FAILPOINT COUNT]   dies when it is there for the COUNT-th time

const [directory = '', repository = '', url = '', failpoint, count = '1'] = process.argv.slice(2);

let left = Number(count);
const kernel = await openKernel({
  path: `${directory}/trail.db`,
  clock: crashClock,
  ids: crashIds,
  failpoint: (name) => {
    if (name !== failpoint) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  },
});

const model: ModelClient = {
  async complete({ messages }, { signal }) {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(messages), signal });
    const content = await answer.text();
    return {
      kind: 'reply',
      attempts: 1,
      reply: {
        content,
        reasoning: null,
        tool_calls: [],
        finish_reason: 'stop',
        usage: null,
        provider_model: null,
      },
    };
  },
};

const source = await gitCommit({ repository, commit: 'HEAD', env: process.env });
const role = modelRole({ role: 'correctness', model, modelIdentity: url, batchBytes: 200 });
const { done } = await startReview(
  { kernel, scope: crashScope, clock: crashClock },
  { reviewId: 'review-1', review: createReview({ source, roles: [role] }) },
);
const { goal, report } = await done;
process.stdout.write(`${goal.state} ${report?.result ?? 'none'}\n`);
await kernel[Symbol.asyncDispose]();
