import { unreachable } from '../error/millforge-error.ts';
import { JsonFloat } from '../json/json-value.ts';
import { isPlainObject } from '../json/plain-object.ts';
import { type Limit, scalarLimits, scalarType } from './scalar-limits.ts';
import type {
  ArraySchema,
  JsonSchema,
  ObjectSchema,
  ScalarSchema,
  SchemaScalar,
} from './schema.ts';

/** Whether a value fits, without a word about where it does not. */
export type Acceptor = (value: unknown) => boolean;

/** Makes the predicate of a schema of which a yes takes as long as its reason. */
export type OtherAcceptor = (schema: JsonSchema) => Acceptor;

/**
 * Turns a schema into a predicate: nearly all values that are validated fit, and a yes takes a fraction of
 * the time of a reason. Constants, choices, unions and lists without repetitions are left to `other`.
 */
export function compileAcceptor(schema: JsonSchema, other: OtherAcceptor): Acceptor {
  if ('const' in schema || 'oneOf' in schema || 'anyOf' in schema) return other(schema);
  const accepts = compileTyped(schema, other);
  return typeof schema.type === 'string' ? accepts : (value) => value === null || accepts(value);
}

function compileTyped(
  schema: ObjectSchema | ArraySchema | ScalarSchema,
  other: OtherAcceptor,
): Acceptor {
  if ('properties' in schema) return compileObject(schema, other);
  return 'items' in schema ? compileArray(schema, other) : compileScalar(schema);
}

/** One property of a schema, and which one came behind it the last time. */
interface Slot {
  readonly name: string;
  readonly kind: Kind;
  readonly accepts: Acceptor;
  /** Counted, since a sum needs no branch. */
  readonly required: 0 | 1;
  next: Slot | null;
}

function compileObject(schema: ObjectSchema, other: OtherAcceptor): Acceptor {
  const required = new Set(schema.required);
  // A map, because looking up `constructor` or `__proto__` in an object would find inherited members.
  const slots = new Map<string, Slot>();
  const head: Slot = { name: '', kind: OTHER, accepts: () => false, required: 0, next: null };
  let last = head;
  for (const [name, property] of Object.entries(schema.properties)) {
    const accepts = compileAcceptor(property, other);
    const isRequired = required.has(name) ? 1 : 0;
    const slot: Slot = { name, kind: kindOf(property), accepts, required: isRequired, next: null };
    slots.set(name, slot);
    last.next = slot;
    last = slot;
  }
  const count = required.size;
  return (value) => {
    if (!isPlain(value)) return false;
    let found = 0;
    let at = head;
    for (const name in value) {
      // Whoever writes arguments writes them in one order, mostly: no name is looked up then.
      let slot: Slot | null | undefined = at.next;
      if (slot === null || slot.name !== name) {
        slot = slots.get(name);
        if (slot === undefined) return false;
        at.next = slot;
      }
      const item = value[name];
      switch (slot.kind) {
        case TEXT:
          if (typeof item !== 'string') return false;
          break;
        case YES_OR_NO:
          if (typeof item !== 'boolean') return false;
          break;
        case WHOLE:
          if (!Number.isInteger(item) && !slot.accepts(item)) return false;
          break;
        case NUMBER:
          if (!Number.isFinite(item) && !slot.accepts(item)) return false;
          break;
        case OTHER:
          if (!slot.accepts(item)) return false;
          break;
        default:
          return unreachable(slot.kind, 'kind');
      }
      found += slot.required;
      at = slot;
    }
    return found === count;
  };
}

type PlainObject = { readonly [name: string]: unknown };

/**
 * Of nearly all objects the engine knows the prototype by their shape, and reads it in no time this way; what
 * is not at once found to be plain is looked at closely. Only an object made to lie has another one.
 */
function isPlain(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null) return false;
  const { __proto__: prototype }: { readonly __proto__?: unknown } = value;
  return prototype === Object.prototype || isPlainObject(value);
}

/** Types of which a yes is one comparison, cheaper than a call. */
type Kind = typeof OTHER | typeof TEXT | typeof YES_OR_NO | typeof WHOLE | typeof NUMBER;
const OTHER = 0;
const TEXT = 1;
const YES_OR_NO = 2;
const WHOLE = 3;
const NUMBER = 4;

function kindOf(schema: JsonSchema): Kind {
  if (!('type' in schema) || Object.keys(schema).some((key) => LIMITING.has(key))) return OTHER;
  switch (schema.type) {
    case 'string':
      return TEXT;
    case 'boolean':
      return YES_OR_NO;
    case 'integer':
      return WHOLE;
    case 'number':
      return NUMBER;
    case 'array':
    case 'object':
      return OTHER;
    default:
      // Together with null.
      return OTHER;
  }
}

function compileArray(schema: ArraySchema, other: OtherAcceptor): Acceptor {
  const { items, minItems = 0, maxItems, uniqueItems } = schema;
  if (uniqueItems === true) return other(schema);
  const accepts = compileAcceptor(items, other);
  const most = maxItems ?? Number.POSITIVE_INFINITY;
  return (value) => {
    if (!Array.isArray(value) || value.length < minItems || value.length > most) return false;
    for (let index = 0; index < value.length; index++) {
      if (!accepts(value[index])) return false;
    }
    return true;
  };
}

function compileScalar(schema: ScalarSchema): Acceptor {
  const type = scalarType(schema);
  const accepts = TYPES[type];
  const limits = scalarLimits(schema);
  const members = schema.enum === undefined ? null : enumAcceptor(schema.enum);
  if (limits.length === 0) {
    if (members === null) return accepts;
    // Only a text equals a text; the other types have more than one form of the same value.
    return type === 'string' ? members : (value) => accepts(value) && members(value);
  }
  return (value) =>
    accepts(value) && (members === null || members(value)) && areKept(limits, value);
}

function areKept(limits: readonly Limit[], value: unknown): boolean {
  for (let index = 0; index < limits.length; index++) {
    if (limits[index]?.holds(value) === false) return false;
  }
  return true;
}

function enumAcceptor(members: readonly SchemaScalar[]): Acceptor {
  const values = members.map(plainScalar);
  if (values.length > MAX_COMPARED || !values.every((value) => typeof value === 'string')) {
    const set = new Set(values);
    return (value) => set.has(plainScalar(value));
  }
  return (value) => {
    for (let index = 0; index < values.length; index++) {
      if (values[index] === value) return true;
    }
    return false;
  };
}

function plainScalar(value: unknown): unknown {
  return typeof value === 'object' && value instanceof JsonFloat ? value.value : value;
}

const TYPES: { readonly [Type in ReturnType<typeof scalarType>]: Acceptor } = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  // A value that was written as a float is no integer, even where it is integral.
  integer: (value) => Number.isInteger(value) || typeof value === 'bigint',
  number: (value) =>
    typeof value === 'number'
      ? Number.isFinite(value)
      : typeof value === 'bigint' || (value instanceof JsonFloat && Number.isFinite(value.value)),
};

const MAX_COMPARED = 8;
const LIMITING = new Set(
  'enum const minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum'.split(
    ' ',
  ),
);
