import { isDottedId } from '../ids/identifiers.ts';
import type { JsonObject, JsonValue } from '../json/json-value.ts';
import {
  type CapabilityConstraints,
  type CapabilityGrant,
  CONSTRAINT_LISTS,
  MAX_CONSTRAINT_ENTRIES,
} from './capability-constraints.ts';

/** A grant that was read, or the first thing that is wrong with it. */
export type ReadCapabilityGrant =
  | {
      /** Whether it is one. */
      readonly ok: true;
      /** The id alone where the grant has no bounds. */
      readonly grant: string | CapabilityGrant;
    }
  | {
      /** Whether it is one. */
      readonly ok: false;
      /** Pointer to what is wrong: `/constraints/paths/0`. */
      readonly path: string;
      /** What was expected there. */
      readonly expected: string;
    };

/**
 * Reads a grant from a document: a capability id, or `{"capability_id":"…","constraints":{…}}`. Whatever it
 * does not know makes it no grant, since a bound that nobody holds would be none.
 */
export function readCapabilityGrant(value: JsonValue): ReadCapabilityGrant {
  if (typeof value === 'string') {
    return isDottedId(value) ? { ok: true, grant: value } : wrong('', CAPABILITY_WORDS);
  }
  if (!isObject(value)) return wrong('', `${CAPABILITY_WORDS}, or an object with constraints`);
  const stray = Object.keys(value).find((key) => key !== 'capability_id' && key !== 'constraints');
  if (stray !== undefined) return wrong('', 'only capability_id and constraints');
  const { capability_id: capabilityId, constraints } = value;
  if (typeof capabilityId !== 'string' || !isDottedId(capabilityId)) {
    return wrong('/capability_id', CAPABILITY_WORDS);
  }
  if (constraints === undefined) return { ok: true, grant: capabilityId };
  const fault = constraintsFault(constraints);
  if (fault !== null) return wrong(`/constraints${fault.path}`, fault.expected);
  // Every field was looked at above.
  return { ok: true, grant: { capabilityId, constraints: constraints as CapabilityConstraints } };
}

/** The document of a grant, as {@link readCapabilityGrant} reads it. */
export function grantDocument(grant: string | CapabilityGrant): JsonValue {
  if (typeof grant === 'string') return grant;
  const { capabilityId, constraints } = grant;
  if (constraints === undefined) return capabilityId;
  return { capability_id: capabilityId, constraints: { ...constraints } };
}

/** The capability that a grant is of. */
export function capabilityOf(grant: string | CapabilityGrant): string {
  return typeof grant === 'string' ? grant : grant.capabilityId;
}

function constraintsFault(
  value: JsonValue,
): { readonly path: string; readonly expected: string } | null {
  if (!isObject(value) || Object.keys(value).length === 0) {
    return { path: '', expected: `at least one of ${KINDS.join(', ')}` };
  }
  for (const [kind, bound] of Object.entries(value)) {
    const list = CONSTRAINT_LISTS.find(({ name }) => name === kind);
    if (list !== undefined) {
      const isList = Array.isArray(bound) && bound.length > 0;
      if (!isList || bound.length > MAX_CONSTRAINT_ENTRIES) {
        return { path: `/${kind}`, expected: `a list of 1 to ${MAX_CONSTRAINT_ENTRIES} entries` };
      }
      const at = bound.findIndex((entry) => typeof entry !== 'string' || !list.isRight(entry));
      if (at !== -1) return { path: `/${kind}/${at}`, expected: list.expected };
    } else if (kind !== 'max_bytes') {
      return { path: '', expected: `only ${KINDS.join(', ')}` };
    } else if (typeof bound !== 'number' || !Number.isSafeInteger(bound) || bound < 1) {
      return { path: '/max_bytes', expected: 'a whole number from 1' };
    }
  }
  return null;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(path: string, expected: string): ReadCapabilityGrant {
  return { ok: false, path, expected };
}

const CAPABILITY_WORDS = 'a capability id such as unrestricted.filesystem.read';
const KINDS = [...CONSTRAINT_LISTS.map(({ name }) => name), 'max_bytes'];
