import { JsonFloat } from '../json/json-value.ts';
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
  if ('properties' in schema) {
    const plan = toObjectPlan(schema, other);
    return (value) => acceptsObject(plan, value);
  }
  return 'items' in schema ? compileArray(schema, other) : compileScalar(schema);
}

/** One property of a schema, and which one came behind it the last time. */
interface Slot {
  readonly kind: Kind;
  readonly accepts: Acceptor;
  // Kept here and not behind `next`, so that they are read without waiting for it.
  nextName: string;
  nextKind: Kind;
  next: Slot | null;
}

/** An object schema, taken apart. */
interface ObjectPlan {
  readonly head: Slot;
  /** A map, because looking up `constructor` or `__proto__` in an object would find inherited members. */
  readonly slots: ReadonlyMap<string, Slot>;
  readonly required: readonly string[];
  /** How many properties make it needless to look for the required ones. */
  readonly enough: number;
}

function toObjectPlan(schema: ObjectSchema, other: OtherAcceptor): ObjectPlan {
  const slots = new Map<string, Slot>();
  const head = toSlot(OTHER, () => false);
  let last = head;
  for (const [name, property] of Object.entries(schema.properties)) {
    const slot = toSlot(kindOf(property), compileAcceptor(property, other));
    slots.set(name, slot);
    follow(last, name, slot);
    last = slot;
  }
  const { required } = schema;
  const enough = required.every((name) => slots.has(name)) ? slots.size : Number.POSITIVE_INFINITY;
  return { head, slots, required, enough };
}

function toSlot(kind: Kind, accepts: Acceptor): Slot {
  return { kind, accepts, nextName: '', nextKind: OTHER, next: null };
}

function follow(slot: Slot, name: string, next: Slot): void {
  slot.nextName = name;
  slot.nextKind = next.kind;
  slot.next = next;
}

/** One function for all schemas: the engine knows it at every place that calls it. */
function acceptsObject(plan: ObjectPlan, value: unknown): boolean {
  if (!isPlain(value)) return false;
  let found = 0;
  let at = plan.head;
  for (const name in value) {
    // Whoever writes arguments writes them in one order, mostly: no name is looked up then.
    let slot = at.next;
    if (slot === null || at.nextName !== name) {
      slot = lookUp(plan, at, name);
      if (slot === null) return false;
    }
    const kind = at.nextKind;
    const item = value[name];
    if (typeof item === 'string') {
      if (kind !== TEXT && (kind !== OTHER || !slot.accepts(item))) return false;
    } else if (kind === OTHER) {
      if (!slot.accepts(item)) return false;
    } else if (kind === WHOLE) {
      if (!Number.isInteger(item) && !slot.accepts(item)) return false;
    } else if (kind === YES_OR_NO) {
      if (typeof item !== 'boolean') return false;
    } else if (kind === TEXT || (!Number.isFinite(item) && !slot.accepts(item))) {
      return false;
    }
    found += 1;
    at = slot;
  }
  return found === plan.enough || hasAll(value, plan.required);
}

/** Out of the way, so that the usual way is short enough to become part of its callers. */
function lookUp(plan: ObjectPlan, at: Slot, name: string): Slot | null {
  const slot = plan.slots.get(name) ?? null;
  if (slot !== null) follow(at, name, slot);
  return slot;
}

function hasAll(value: PlainObject, names: readonly string[]): boolean {
  for (let index = 0; index < names.length; index++) {
    if (!Object.hasOwn(value, names[index] ?? '')) return false;
  }
  return true;
}

type PlainObject = { readonly [name: string]: unknown };

/**
 * Of nearly all objects the engine knows the prototype by their shape, and reads it in no time this way; what
 * is not at once found to be plain is looked at closely. Only an object made to lie has another one.
 *
 * Says no to the plain objects of another realm: their prototype may hold names that are not the object's
 * own, and those are found by whoever gives the reason.
 */
function isPlain(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null) return false;
  const { __proto__: prototype }: { readonly __proto__?: unknown } = value;
  return prototype === Object.prototype || isPlainAfterAll(value);
}

function isPlainAfterAll(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
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
  const most = maxItems ?? Number.POSITIVE_INFINITY;
  if ('properties' in items && typeof items.type === 'string') {
    const plan = toObjectPlan(items, other);
    return (value) => {
      if (!Array.isArray(value) || value.length < minItems || value.length > most) return false;
      for (let index = 0; index < value.length; index++) {
        if (!acceptsObject(plan, value[index])) return false;
      }
      return true;
    };
  }
  const accepts = compileAcceptor(items, other);
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
  const [first, second = first, third = first, fourth = first] = values;
  if (values.length <= 4) {
    return (value) => value === first || value === second || value === third || value === fourth;
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
