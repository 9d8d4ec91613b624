/** Source of fresh identifiers; the only randomness that packages below the umbrella see. */
export interface Ids {
  /** A new identifier, unique for all time, in the form `<prefix>_<characters of a-z and 0-9>`. */
  newId(prefix: string): string;
}
