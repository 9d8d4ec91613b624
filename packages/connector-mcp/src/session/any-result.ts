import type { StandardSchemaV1 } from '@modelcontextprotocol/client';

/** A result of a server as it came: what is in it is judged by whoever reads it. */
export type AnyResult = { readonly [key: string]: unknown };

/**
 * Takes any object as a result. The client's own schemas drop or refuse fields, and what a server said is
 * pinned as it was said.
 */
export const anyResult: StandardSchemaV1<AnyResult, AnyResult> = {
  '~standard': {
    version: 1,
    vendor: 'millforge',
    validate: (value) =>
      isRecord(value) ? { value } : { issues: [{ message: 'must be an object' }] },
  },
};

/** Tells objects from everything else. */
export function isRecord(value: unknown): value is AnyResult {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
