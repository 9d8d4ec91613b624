import { ORIGIN_PREFIXES, originOf, type ToolOrigin } from '@millforge/contracts';

/** Why an id is not free for tools of an origin, or null. */
export function misplacedId(toolId: string, origin: ToolOrigin): string | null {
  const owner = originOf(toolId);
  if (owner === origin) return null;
  if (owner !== 'custom') {
    return `ids that begin with "${ORIGIN_PREFIXES[owner]}" belong to origin ${owner}`;
  }
  return origin === 'custom'
    ? null
    : `ids of origin ${origin} begin with "${ORIGIN_PREFIXES[origin]}"`;
}
