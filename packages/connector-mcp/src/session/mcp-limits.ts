/** How much of a server is borne. */
export interface McpLimits {
  /** Bytes of one message or one response; default 8 MiB. */
  readonly maxMessageBytes?: number;
  /** Bytes of all pages of one list; default 16 MiB. */
  readonly maxListBytes?: number;
  /** Pages of one list; default 64. */
  readonly maxPages?: number;
  /** Tools, prompts or resources of one server; default 2,048. */
  readonly maxItems?: number;
  /** Milliseconds until a connection stands; default 15,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds for all pages of all lists; default 30,000. */
  readonly listTimeoutMs?: number;
}

/** Limits with their defaults. */
export function withDefaults(limits: McpLimits = {}): Required<McpLimits> {
  return { ...DEFAULTS, ...limits };
}

const DEFAULTS: Required<McpLimits> = {
  maxMessageBytes: 8_388_608,
  maxListBytes: 16_777_216,
  maxPages: 64,
  maxItems: 2048,
  connectTimeoutMs: 15_000,
  listTimeoutMs: 30_000,
};
