import type { PhaseContext } from '@millforge/kernel/develop';

/** What the model of a phase is asked to do: all that the context tells, in words, and nothing else. */
export function phaseTask(context: PhaseContext): string {
  const { phase, round, rounds, objective, criteria, mayWrite, allowedPaths } = context;
  const parts = [
    `Objective: ${objective}`,
    `Phase: ${phase}, round ${round} of at most ${rounds}.`,
    list(
      'The result is held to these criteria, and may be held to others:',
      criteria.map(({ name, text }) => `${name}: ${text}`),
    ),
    mayWrite
      ? list('You may write below these paths only:', allowedPaths)
      : 'Nothing may be changed in this phase.',
    ...context.reports.map((report) => `Report of ${report.phase}:\n${report.summary}`),
    shortfallText(context),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function shortfallText({ shortfall }: PhaseContext): string {
  if (shortfall === null) return '';
  const failed = shortfall.failed.map(({ name, exit_code, timed_out, output }) => {
    const how = timed_out ? 'its time was over' : `exit code ${exit_code ?? 'none'}`;
    return `${name} (${how})${output === null || output === '' ? '' : `:\n${output}`}`;
  });
  const hidden = shortfall.hidden_failed;
  const others = hidden === 0 ? [] : [`${hidden} that you are not told`];
  return list('The round before did not meet these criteria:', [...failed, ...others]);
}

function list(head: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [head, ...items.map((item) => `- ${item}`)].join('\n');
}
