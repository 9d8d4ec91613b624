/** One lossless change of what the model wrote; `unknown-removed` alone loses something, and is asked for. */
export interface ArgumentRepair {
  /** The place: `$`, `$.edits[0].path`. */
  readonly path: string;
  /** What was done. */
  readonly kind:
    | 'trailing-comma'
    | 'single-quotes'
    | 'python-literal'
    | 'raw-control'
    | 'bare-key'
    | 'missing-close'
    | 'empty-text'
    | 'object-from-text'
    | 'array-from-text'
    | 'number-from-text'
    | 'boolean-from-text'
    | 'array-of-one'
    | 'null-removed'
    | 'enum-case'
    | 'key-renamed'
    | 'unknown-removed';
}
