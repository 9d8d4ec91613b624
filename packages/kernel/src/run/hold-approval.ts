import type { Failure, JsonObject } from '@millforge/contracts';
import { type Live, writeOf } from './live.ts';

/** Asks a person before anything happens; the answer becomes the outcome of the operation. */
export async function holdApproval(live: Live, { message, data }: Failure): Promise<void> {
  const { parts, request } = live;
  const { claim, store } = parts;
  const asked = new Map(typeof data === 'object' && data !== null ? Object.entries(data) : []);
  const facts: JsonObject = {
    describe: live.describe,
    input_sha256: request.inputSha256,
    approval: {
      for: asked.get('for') ?? null,
      expires_after_seconds: asked.get('expires_after_seconds') ?? DEFAULT_EXPIRY_SECONDS,
    },
  };
  await store.operations.propose(claim, {
    write: writeOf(live, null),
    hold: {
      reason: 'approval-required',
      message: parts.redactor.text(message),
      taskId: claim.taskId,
      attempt: claim.number,
      operationKey: request.operation.key,
      facts,
    },
  });
}

const DEFAULT_EXPIRY_SECONDS = 3600;
