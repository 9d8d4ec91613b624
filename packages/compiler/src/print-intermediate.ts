/** Writes what a phase made as indented JSON; empty for nothing. */
export function printIntermediate(made: unknown): string {
  if (made === null || made === undefined) return '';
  return JSON.stringify(
    made,
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    2,
  );
}
