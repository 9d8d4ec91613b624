import { compileAcceptor } from './compile-acceptor.ts';
import { compileExplainer, type SchemaViolation, type Validator } from './compile-explainer.ts';
import type { JsonSchema } from './schema.ts';

/**
 * Turns a schema into a function that gives the first violation of a value, or null.
 *
 * Compiles to closures, never to source text. A validation allocates nothing while the value is right.
 */
export function compileValidator(schema: JsonSchema): Validator {
  const accepts = compileAcceptor(schema, (other) => {
    const explain = compileExplainer(other);
    return (value) => explain(value) === null;
  });
  let explain: Validator | null = null;
  const explainLate: Validator = (value) => {
    explain ??= compileExplainer(schema);
    return explain(value);
  };
  return (value) => (accepts(value) ? null : explainLate(value));
}

/** Validates one value; the compiled form of a schema object is kept as long as the object lives. */
export function validateJson(value: unknown, schema: JsonSchema): SchemaViolation | null {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = compileValidator(schema);
    compiled.set(schema, validate);
  }
  return validate(value);
}

const compiled = new WeakMap<JsonSchema, Validator>();
