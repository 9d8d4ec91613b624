import {
  compileExplainer,
  type JsonSchema,
  type SchemaViolation,
  type Validator,
} from '@millforge/contracts';

/** The first violation of a value, or null; what a schema object compiles to is kept as long as it lives. */
export function findViolation(value: unknown, schema: JsonSchema): SchemaViolation | null {
  let explain = KEPT.get(schema);
  if (explain === undefined) {
    explain = compileExplainer(schema);
    KEPT.set(schema, explain);
  }
  return explain(value);
}

const KEPT = new WeakMap<JsonSchema, Validator>();
