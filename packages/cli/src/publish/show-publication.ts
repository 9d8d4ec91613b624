import { existsSync } from 'node:fs';
import { unreachable } from '@millforge/contracts';
import type { PublicationView } from '@millforge/kernel/publication';
import { ownName } from '../output/own-name.ts';
import { type CliHost, printable, writeJsonLine, writeLine } from '../output/terminal.ts';
import type { PlacedGoal } from '../output/ways-on.ts';

/** Prints a publication: as a document, or as the few lines that whoever approves has to read. */
export function showPublication(
  host: CliHost,
  view: PublicationView,
  { isJson, dataFlag }: { readonly isJson: boolean; readonly dataFlag: string },
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
    ['next', nextStep(view, { dataFlag, program: ownName(host.env) })],
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

function nextStep(
  { goal_id, publication_id, state, intent_sha256, operation }: PublicationView,
  { dataFlag, program }: Omit<PlacedGoal, 'goalId'>,
): string | null {
  const command = (verb: string, more = ''): string =>
    `${program} publish ${verb} ${goal_id} ${publication_id}${dataFlag}${more}`;
  switch (state) {
    case 'intended':
      return command('approve', ` --intent ${intent_sha256} --reason TEXT`);
    case 'approved':
      return command('dispatch');
    case 'sending':
    case 'unknown':
      return operation?.sender === null
        ? command('reconcile')
        : `process ${operation?.sender.pid ?? 0} sends it; then ${command('reconcile')}`;
    case 'accepted':
    case 'rejected':
    case 'expired':
    case 'revoked':
      return null;
    default:
      return unreachable(state, 'state of a publication');
  }
}

// Whoever approves reads it here: two addresses must not look alike, nor a text look like a line of its own.
const UNSEEN = /[\t\n\p{Cf}\u115F\u1160\u2028\u2029\u3164\uFFA0]/gu;
