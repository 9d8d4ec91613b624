import type { ExplainedStep, PlanExplanation } from './plan-explanation.ts';

/**
 * Draws the graph of an explanation as a Mermaid flowchart.
 *
 * A plain prerequisite is a line, alternatives are dotted lines, an end is a rounded box, and a step that gates every
 * end has a thick border.
 */
export function explanationToMermaid({ steps, ends }: PlanExplanation): string {
  const results = new Set(ends.map(({ terminal_result }) => terminal_result));
  const isObligatory = (step: ExplainedStep) =>
    ends.length > 0 && step.terminal_result === null && step.gates.length === results.size;
  const required = steps.filter(isObligatory).map(nameOf);
  const lines = [
    'flowchart TD',
    ...steps.map((step) => `  ${nameOf(step)}${shapeOf(step)}`),
    ...steps.flatMap((step) =>
      step.waits_for.flatMap(({ any_of }) =>
        any_of.map((earlier) => {
          const arrow = any_of.length > 1 ? '-. one of .->' : '-->';
          return `  ${nameOf(earlier)} ${arrow} ${nameOf(step)}`;
        }),
      ),
    ),
    ...(required.length === 0
      ? []
      : ['  classDef required stroke-width:3px', `  class ${required.join(',')} required`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Words such as `end` mean something to Mermaid, so no name is written bare. */
function nameOf({ node_id }: { readonly node_id: string }): string {
  return `n_${node_id}`;
}

function shapeOf({ node_id, tool, side_effect_class, terminal_result }: ExplainedStep): string {
  const label = `${node_id}<br/>${tool}<br/>${side_effect_class}`;
  return terminal_result === null
    ? `["${label}"]`
    : `(["${node_id}: ${terminal_result}<br/>${tool}"])`;
}
