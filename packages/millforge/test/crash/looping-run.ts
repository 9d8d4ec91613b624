import type { ScriptedServerReply } from '@millforge/models/testing';
import type { Millforge, RunRequest } from 'millforge';
import { compiledPlan } from '../integration/compiled-plan.ts';
import { GRANTS, type RunPlaces } from './scripted-run.ts';

/** Id of the run, which every process that takes part knows. */
export const LOOPING_RUN = 'run_looping';

/** Turns of the run. */
export const LOOPING_TURNS = 10;

/**
 * A model that goes round in circles, then talks instead of calling, then submits.
 *
 * Turns 1 to 6 are three equal rounds of two calls; turn 7 begins a fourth; turns 8 and 9 are text.
 */
export function loopingReplies(): readonly ScriptedServerReply[] {
  const round = [call('read', { path: 'a.txt' }), call('ls', {})];
  return [
    ...round,
    ...round,
    ...round,
    call('read', { path: 'a.txt' }),
    { content: 'It seems that I have everything.' },
    { content: 'That was all, I believe.' },
    call('submit', { terminal_result: 'COMPLETE', summary: 'Nothing to do.' }),
  ];
}

/** What the run is asked for; its model takes a forced choice. */
export function loopingRequest(
  millforge: Millforge,
  { places, serverUrl }: { readonly places: RunPlaces; readonly serverUrl: string },
): RunRequest {
  return {
    runId: LOOPING_RUN,
    plan: compiledPlan(millforge),
    task: 'Look around.',
    workspace: places.workspace,
    grants: GRANTS,
    model: {
      kind: 'endpoint',
      profile: {
        profile_id: 'test.small',
        base_url: serverUrl,
        model: 'scripted',
        max_retries: 0,
        capabilities: { tool_choice: 'supported' },
      },
    },
  };
}

function call(name: string, args: object): ScriptedServerReply {
  return { tool_calls: [{ name, arguments: JSON.stringify(args) }] };
}
