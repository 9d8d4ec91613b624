/** The lines of a patch without their line feeds, as bytes, and which comes next. */
export interface PatchLines {
  readonly lines: readonly string[];
  next: number;
}
