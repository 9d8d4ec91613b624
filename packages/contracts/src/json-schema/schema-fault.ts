/** Why a schema is refused. */
export interface SchemaFault {
  /** Always false. */
  readonly ok: false;
  /** Pointer to the fault, beginning with the path that was given. */
  readonly path: string;
  /** One sentence that begins with the path. */
  readonly message: string;
}

/** What was read of a schema, or why it is refused. */
export type Read<T> = { readonly ok: true; readonly value: T } | SchemaFault;

/** A schema object as it was written. */
export type RawNode = { readonly [key: string]: unknown };

/** Makes a fault out of its place and the rest of the sentence. */
export function fault(path: string, reason: string): SchemaFault {
  return { ok: false, path, message: `${path} ${reason}` };
}

/** The pointer to a member. */
export function child(path: string, segment: string): string {
  return `${path}/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
