/** What of a run can be observed, and limited. */
export type ObservedLimitName =
  | 'input_tokens'
  | 'output_tokens'
  | 'cost_micros'
  | 'tool_calls'
  | 'wall_ms';

/** A number for some of what can be observed. */
export type ObservedUsage = { readonly [Name in ObservedLimitName]?: number };
