/** One lossless change of what the model wrote. */
export interface ArgumentRepair {
  /** The place: `$`, `$.edits[0].path`. */
  readonly path: string;
  /** What was done. */
  readonly kind:
    | 'empty-text'
    | 'object-from-text'
    | 'array-from-text'
    | 'number-from-text'
    | 'boolean-from-text'
    | 'array-of-one'
    | 'null-removed'
    | 'enum-case';
}
