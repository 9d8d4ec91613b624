import type { PublicationView } from '@millforge/kernel/publication';
import { shellWord } from '../commands/data-place.ts';
import type { PlacedGoal } from '../output/ways-on.ts';

/** How the command that is at work was told to reach the receiver. */
export interface GivenReach {
  /** Folder of the commits, as it was named; null for the current one. */
  readonly repository: string | null;
  /** Variable of the token; null for none. */
  readonly tokenEnv: string | null;
}

/** A line of what can be done next: its name, and a command that can be copied or a sentence. */
export type Way = readonly [name: string, text: string];

/** What a person can do next with a publication, each command on a line of its own. */
export function waysToEnd(
  view: PublicationView,
  place: Omit<PlacedGoal, 'goalId'> & { readonly reach: GivenReach },
): readonly Way[] {
  const { goal_id, publication_id, state, reason, intent_sha256, operation } = view;
  const command = (verb: string, more = ''): string =>
    `${place.program} publish ${verb} ${goal_id} ${publication_id}${place.dataFlag}${more}`;
  const reach = reachFlags(view, place.reach);
  if (state === 'intended') {
    return [['next', command('approve', ` --intent ${intent_sha256} --reason TEXT`)]];
  }
  if (state === 'approved') return [['next', command('dispatch', reach)]];
  if (reason === 'not-sent') {
    return [['next', "mend that, then intend it anew with 'publish intend' and have it approved"]];
  }
  if (state !== 'sending' && state !== 'unknown') return [];
  const looking = command('reconcile', reach);
  if (operation !== null && operation.sender !== null) {
    return [
      ['wait', `process ${operation.sender.pid} still sends it`],
      ['next', looking],
    ];
  }
  const attest = (outcome: string): string =>
    command('reconcile', ` --attest ${outcome} --reason TEXT`);
  return [
    canBeAsked(view)
      ? ['next', looking]
      : ['next', 'look at the receiver, which cannot be asked from here, and say what you saw'],
    ['arrived', attest('accepted')],
    ['absent', attest('rejected')],
  ];
}

/** A service without a status address says nothing, however often it is asked. */
function canBeAsked({ intent: { action } }: PublicationView): boolean {
  return action.publisher !== 'http' || typeof action.parameters['status_url'] === 'string';
}

/** What the command needs besides, wherever it is copied to. */
function reachFlags({ intent }: PublicationView, { repository, tokenEnv }: GivenReach): string {
  switch (intent.action.publisher) {
    case 'git':
      return ` --repository ${shellWord(repository ?? '.')}`;
    case 'http':
      return tokenEnv === null ? '' : ` --token-env ${shellWord(tokenEnv)}`;
    default:
      return '';
  }
}
