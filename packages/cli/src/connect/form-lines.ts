import type { AdmittedForms } from '@millforge/connectors';

/** What kinds of model servers are told otherwise of a tool's arguments, one line each; empty where all are told all. */
export function formLines(admitted: AdmittedForms | undefined): readonly string[] {
  return (admitted?.forms ?? []).flatMap(({ dialect, changes, fault }) => {
    if (fault !== null) return [`${dialect}: cannot be told of it, ${fault}`];
    const dropped = changes.filter(({ kind }) => kind === 'dropped').map(({ path }) => path);
    const nullable = changes.filter(({ kind }) => kind === 'nullable').map(({ path }) => path);
    const parts = [
      ...(dropped.length === 0 ? [] : [`is not told ${dropped.join(', ')}`]),
      ...(nullable.length === 0 ? [] : [`says null for an absent ${nullable.join(', ')}`]),
    ];
    return parts.length === 0 ? [] : [`${dialect}: ${parts.join('; ')}`];
  });
}
