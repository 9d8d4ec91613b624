/**
 * Faults of one kind in one list, or of the keys of one mapping, that are kept: the first in the order of the text.
 *
 * A report shows half as many. A hostile document has thousands, and each costs something even if nobody words it.
 */
export const MOST_OF_ONE_LIST = 256;
