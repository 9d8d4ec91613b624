import type { Failure, JsonObject } from '@millforge/contracts';
import { readClaimed } from '../store/claim.ts';
import { openHold } from '../store/open-hold.ts';
import { proposeOperation } from '../store/write-operation.ts';
import { type Live, writeOf } from './live.ts';

/** Asks a person before anything happens; the answer becomes the outcome of the operation. */
export async function holdApproval(live: Live, { message, data }: Failure): Promise<void> {
  const { parts, request } = live;
  const { clock, claim, db } = parts;
  const write = writeOf(live, null);
  const asked = new Map(typeof data === 'object' && data !== null ? Object.entries(data) : []);
  const facts: JsonObject = {
    describe: live.describe,
    input_sha256: request.inputSha256,
    approval: {
      for: asked.get('for') ?? null,
      expires_after_seconds: asked.get('expires_after_seconds') ?? DEFAULT_EXPIRY_SECONDS,
    },
  };
  await db.write('open-hold', (tx) => {
    proposeOperation(tx, claim, write);
    const { goal } = readClaimed(tx, claim, clock.now());
    openHold(tx, goal, {
      hold: {
        reason: 'approval-required',
        message: parts.redactor.text(message),
        taskId: claim.taskId,
        attempt: claim.number,
        operationKey: request.operation.key,
        facts,
      },
      actor: claim.actor,
      changes: [],
    });
  });
}

const DEFAULT_EXPIRY_SECONDS = 3600;
