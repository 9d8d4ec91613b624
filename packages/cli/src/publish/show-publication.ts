import { existsSync } from 'node:fs';
import type { PublicationView } from '@millforge/kernel/publication';
import { ownName } from '../output/own-name.ts';
import { type CliHost, printable, writeJsonLine, writeLine } from '../output/terminal.ts';
import { type GivenReach, waysToEnd } from './ways-to-end.ts';

/** How a publication is shown. */
export interface ShowOptions {
  /** Whether as a document. */
  readonly isJson: boolean;
  /** What goes behind a command, so that it finds the same data directory. */
  readonly dataFlag: string;
  /** What the command was told about the way to the receiver; default nothing. */
  readonly reach?: GivenReach;
}

/** Prints a publication: as a document, or as the few lines that whoever approves has to read. */
export function showPublication(
  host: CliHost,
  view: PublicationView,
  { isJson, dataFlag, reach = NOTHING_GIVEN }: ShowOptions,
): void {
  if (isJson) {
    writeJsonLine(host.stdout, view);
    return;
  }
  const { intent, approval, operation } = view;
  const { action, payload } = intent;
  const lines: readonly (readonly [string, string | null])[] = [
    ['to', `${action.publisher} ${action.target}`],
    ['payload', `${payload.sha256} (${payload.bytes} bytes, ${payload.media_type})`],
    ['policy', `${intent.policy}, revision ${intent.revision}`],
    ['intent', view.intent_sha256],
    [
      'approved',
      approval === null
        ? null
        : `by ${approval.by} until ${approval.expires_at}: ${approval.reason}`,
    ],
    [
      'operation',
      operation === null ? null : `${operation.operation_id}, sent by ${operation.sent_by}`,
    ],
    ['because', view.message],
    ['missing', toBeMade(view)],
    ...waysToEnd(view, { dataFlag, program: ownName(host.env), reach }),
  ];
  writeLine(host.stdout, `${view.publication_id} of ${view.goal_id}: ${view.state}`);
  for (const [name, text] of lines) {
    if (text !== null)
      writeLine(
        host.stdout,
        `  ${name.padEnd(9)}  ${printable(text.replaceAll(UNSEEN, '\uFFFD'))}`,
      );
  }
}

/** What a sending will make: somebody may have misspelt it. */
function toBeMade({ state, intent }: PublicationView): string | null {
  const { publisher, target } = intent.action;
  if (publisher !== 'local' || (state !== 'intended' && state !== 'approved')) return null;
  return existsSync(target) ? null : `there is no ${target} yet; sending makes it`;
}

const NOTHING_GIVEN: GivenReach = { repository: null, tokenEnv: null };
// Whoever approves reads it here: two addresses must not look alike, nor a text look like a line of its own.
const UNSEEN = /[\t\n\p{Cf}\u115F\u1160\u2028\u2029\u3164\uFFA0]/gu;
