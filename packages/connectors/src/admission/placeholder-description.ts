/** Stands in a draft where the operator's words belong; nothing is admitted under it. */
export const PLACEHOLDER_DESCRIPTION = 'Say what it does in your own words.';
