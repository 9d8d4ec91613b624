import type { DiscoveryChange } from '@millforge/connectors';
import { type TextSink, writeLine } from '../output/terminal.ts';

/** Prints what changed, one sentence a line. */
export function printChanges(to: TextSink, changes: readonly DiscoveryChange[]): void {
  for (const { subject, message } of changes) writeLine(to, `${subject}: ${message}`);
}
