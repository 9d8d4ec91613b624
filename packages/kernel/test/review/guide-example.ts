import type { Clock, ModelClient } from '@millforge/contracts';
import type { Kernel, Scope } from '@millforge/kernel';
import {
  createReview,
  gitCommit,
  modelRole,
  renderMarkdown,
  startReview,
} from '@millforge/kernel/review';

export async function reviewHead(
  parts: { kernel: Kernel; scope: Scope; clock: Clock },
  { repository, model }: { repository: string; model: ModelClient },
): Promise<string> {
  const ask = (role: string) => modelRole({ role, model, modelIdentity: 'qwen3:8b' });
  const review = createReview({
    source: await gitCommit({ repository, commit: 'HEAD', since: 'HEAD~1', env: process.env }),
    roles: [ask('correctness'), ask('security')],
  });
  // Run it again after a crash, with the same name: it goes on where it was.
  const { done } = await startReview(parts, { reviewId: 'review-7', review });
  const { goal, report } = await done;
  return report === null ? `The review is ${goal.state}.` : renderMarkdown(report);
}
