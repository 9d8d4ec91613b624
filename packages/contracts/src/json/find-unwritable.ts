import { MillforgeError } from '../error/millforge-error.ts';
import { JsonFloat } from './json-value.ts';
import { isPlainObject } from './plain-object.ts';

/** The first thing in a value that JSON cannot hold. */
export interface Unwritable {
  /** What it is, in words. */
  readonly what: string;
  /** JSON pointer to it. */
  readonly path: string;
}

/** Finds the first thing that JSON cannot hold, or null; any depth, each shared container once. */
export function findUnwritable(root: unknown): Unwritable | null {
  const open: Frame[] = [];
  const ancestors = new Set<unknown>();
  const done = new Set<unknown>();
  let value = root;
  for (;;) {
    const what = ancestors.has(value) ? 'a cycle' : refusal(value);
    if (what !== null) return { what, path: pointer(open) };
    if (!done.has(value) && enter(value, open)) ancestors.add(value);
    let frame = open.at(-1);
    while (frame !== undefined && frame.next === frame.children.length) {
      open.pop();
      ancestors.delete(frame.node);
      done.add(frame.node);
      frame = open.at(-1);
    }
    if (frame === undefined) return null;
    value = frame.children[frame.next++];
  }
}

/** The error for a value that {@link findUnwritable} finds fault with. */
export function unwritableError(root: unknown): MillforgeError {
  const found = findUnwritable(root) ?? { what: 'this value', path: '/' };
  const code = found.what === NON_FINITE ? 'json/non-finite' : 'json/not-json';
  return new MillforgeError(
    code,
    `JSON cannot hold ${found.what}; there is one at ${found.path}.`,
    {
      details: { what: found.what, path: found.path },
    },
  );
}

interface Frame {
  readonly node: unknown;
  readonly keys: readonly string[] | null;
  readonly children: readonly unknown[];
  next: number;
}

function enter(value: unknown, open: Frame[]): boolean {
  if (Array.isArray(value)) {
    open.push({ node: value, keys: null, children: value, next: 0 });
  } else if (isPlainObject(value)) {
    const keys = Object.keys(value);
    open.push({ node: value, keys, children: keys.map((key) => value[key]), next: 0 });
  } else {
    return false;
  }
  return true;
}

function refusal(value: unknown): string | null {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? null : NON_FINITE;
    case 'object':
      if (value instanceof JsonFloat) return Number.isFinite(value.value) ? null : NON_FINITE;
      if (value === null || Array.isArray(value) || isPlainObject(value)) return null;
      return 'an instance of a class';
    case 'string':
    case 'boolean':
    case 'bigint':
      return null;
    case 'undefined':
    case 'function':
    case 'symbol':
    default:
      return `a value of type ${typeof value}`;
  }
}

/** Points at the child that each open container is at, cut to what a message can carry. */
function pointer(open: readonly Frame[]): string {
  const steps = open.slice(0, 16).map(({ keys, next }) => {
    const step = keys === null ? String(next - 1) : (keys[next - 1] ?? '');
    return step.replaceAll('~', '~0').replaceAll('/', '~1');
  });
  const text = `/${steps.join('/')}`;
  return open.length > steps.length || text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

const NON_FINITE = 'NaN or an infinity';
