/** Lists names for a message; of very many only the first ones and the number of the others. */
export function listNames(names: readonly string[], between = ', '): string {
  const shown = names.slice(0, MAX_LISTED).join(between);
  const rest = names.length - MAX_LISTED;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

const MAX_LISTED = 64;
