/** A structured result that one terminal has to bring, or may bring. */
export interface SelectedOutputRequirement {
  /** Result of that terminal, as the plan names it. */
  readonly terminalResult: string;
  /** Whether the terminal is refused without one. */
  readonly required: boolean;
  /** JSON Schema of the value, of any type, in the accepted subset. */
  readonly schema: unknown;
}
