import { createRedactor } from '@millforge/contracts';
import { plain } from '../render/plain-text.ts';
import type { PlanChange, PlanDiff } from './plan-diff.ts';

/** Writes the differences of two plans for a person to read, the riskiest first; ends with a line feed. */
export function renderPlanDiff(diff: PlanDiff): string {
  if (diff.changes.length === 0) {
    const isSame = diff.before_sha256 === diff.after_sha256;
    return isSame
      ? 'The plans are the same.\n'
      : 'The plans mean the same, but their digests differ.\n';
  }
  const count = diff.changes.length === 1 ? '1 change' : `${diff.changes.length} changes`;
  const lines = [`${count}, highest risk: ${diff.risk}`, ...diff.changes.map(changeLine)];
  return `${lines.map((line) => plain(redactor.text(line))).join('\n')}\n`;
}

const redactor = createRedactor();

function changeLine({ risk, change, message, path }: PlanChange): string {
  return `  ${risk.padEnd('medium'.length)}  ${change}: ${message} (${path})`;
}
