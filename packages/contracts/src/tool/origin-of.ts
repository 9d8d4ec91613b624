import type { ToolOrigin } from './tool-descriptor.ts';

/** What ids of an origin begin with; all other ids are free for tools of everybody else. */
export const ORIGIN_PREFIXES: Readonly<Record<Exclude<ToolOrigin, 'custom'>, string>> = {
  pi: 'builtin.pi_compat.',
  builtin: 'builtin.',
  connector: 'connector.',
  forged: 'forged.',
};

/** The origin whose tools alone may have an id. Dispatch goes by the origin that a tool states, never by this. */
export function originOf(toolId: string): ToolOrigin {
  // The longer prefix first: Pi's namespace lies inside the built-in one.
  for (const origin of ['pi', 'builtin', 'connector', 'forged'] as const) {
    if (toolId.startsWith(ORIGIN_PREFIXES[origin])) return origin;
  }
  return 'custom';
}
