import type { InspectedCall } from '../guard-decision.ts';

/** The calls without those that only talk, and what these said when they are all there is. */
export function spokenBy(
  calls: readonly InspectedCall[],
  respond: string | undefined,
): { readonly calls: readonly InspectedCall[]; readonly text: string | null } {
  if (respond === undefined) return { calls, text: null };
  const isTalk = (call: InspectedCall): boolean =>
    call.kind === 'accepted' && call.name === respond;
  const others = calls.filter((call) => !isTalk(call));
  const spoken = calls.flatMap((call) =>
    call.kind === 'accepted' && isTalk(call) && typeof call.arguments['message'] === 'string'
      ? [call.arguments['message']]
      : [],
  );
  return { calls: others, text: spoken.length === 0 ? null : spoken.join('\n') };
}
