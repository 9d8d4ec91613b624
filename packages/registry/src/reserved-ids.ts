import type { ToolOrigin } from '@millforge/contracts';

/** Why an id is not free for tools of an origin, or null. */
export function misplacedId(toolId: string, origin: ToolOrigin): string | null {
  const owner = ownerOf(toolId);
  if (owner === origin) return null;
  if (owner !== 'custom') return `ids that begin with "${PREFIX[owner]}" belong to origin ${owner}`;
  return origin === 'custom' ? null : `ids of origin ${origin} begin with "${PREFIX[origin]}"`;
}

function ownerOf(toolId: string): ToolOrigin {
  // The longer prefix first: Pi's namespace lies inside the built-in one.
  for (const origin of ['pi', 'builtin', 'connector', 'forged'] as const) {
    if (toolId.startsWith(PREFIX[origin])) return origin;
  }
  return 'custom';
}

const PREFIX = {
  pi: 'builtin.pi_compat.',
  builtin: 'builtin.',
  connector: 'connector.',
  forged: 'forged.',
} as const;
