import {
  deepFreeze,
  type Idempotency,
  isArtifactId,
  isDottedId,
  isModelToolName,
  isSha256,
  type JsonSchema,
  looksSecret,
  normalizeSchema,
  type SideEffectClass,
  type ToolCatalogEntry,
} from '@millforge/contracts';
import {
  closed,
  type DocumentFault,
  idList,
  integer,
  isMapping,
  oneOf,
  optional,
  type Reader,
  refuse,
  type TextRule,
  text,
} from '../document-readers.ts';

/** An entry fit for a catalog, or the first thing wrong with it. */
export type AdmitToolEntryResult =
  | { readonly ok: true; readonly entry: ToolCatalogEntry }
  | { readonly ok: false; readonly fault: DocumentFault };

/**
 * Admits one raw descriptor: a frozen copy with normalised schemas, or the first fault.
 *
 * Schemas keep their annotations, as far as they are fit; a text that looks like a secret is a fault there too.
 */
export function admitToolEntry(raw: unknown): AdmitToolEntryResult {
  // Only entries that this function made are in the set.
  if (isMapping(raw) && ADMITTED.has(raw))
    return { ok: true, entry: raw as object as ToolCatalogEntry };
  const faults: DocumentFault[] = [];
  const entry = readEntry(raw, { path: [], faults, keysOf: Object.keys });
  const [fault] = faults;
  if (fault !== undefined) return { ok: false, fault };
  if (entry === undefined) throw new TypeError('A reader gave neither a value nor a fault.');
  ADMITTED.add(deepFreeze(entry));
  return { ok: true, entry };
}

/** Entries that need no second look. They are frozen when they enter, so they stay what they were. */
const ADMITTED = new WeakSet<object>();

function plainText(maxBytes: number): Reader<string> {
  return unsuspicious({
    isRight: (value) =>
      value.trim() !== '' &&
      !LONE_SURROGATE.test(value) &&
      new TextEncoder().encode(value).length <= maxBytes,
    expected: `well-formed text that is not blank, of at most ${maxBytes} bytes`,
  });
}

function unsuspicious(rule: TextRule): Reader<string> {
  const read = text(rule);
  return (value, at) => {
    const typed = read(value, at);
    if (typed === undefined || !looksSecret(typed)) return typed;
    return refuse(at, 'text without anything that looks like a secret');
  };
}

const schema: Reader<JsonSchema> = (value, at) => {
  const normal = normalizeSchema(value, `/${at.path.join('/')}`, {
    version: '1.1',
    // The narrower subset took any annotation unread, and catalogs that were written for it stay good.
    unfitAnnotations: 'drop',
  });
  if (!normal.ok) return refuse(at, `a schema of the accepted subset (${normal.message})`);
  const isClean = textsOf(normal.value).every(
    (leaf) => !looksSecret(leaf) && !LONE_SURROGATE.test(leaf),
  );
  return isClean
    ? normal.value
    : refuse(at, 'a schema of well-formed texts of which none looks like a secret');
};

/** All texts of a schema except names of properties, which may be `api_key`. Normal forms are not deep. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isMapping(value) ? Object.values(value).flatMap(textsOf) : [];
}

/** A policy that the run side reads with its own checks. */
function carried<T>(): Reader<T> {
  // Nothing on this side looks inside, so its form is the promise of whoever built the catalog.
  return (value, at) => (isMapping(value) ? ({ ...value } as T) : refuse(at, 'an object'));
}

/** With the flag `u` a paired surrogate is one character and does not match. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

const readEntry = closed<ToolCatalogEntry>(
  {
    tool_id: text({ isRight: isDottedId, expected: 'a dotted id' }),
    tool_version: integer(1, 2_147_483_647),
    implementation_id: plainText(256),
    descriptor_sha256: text({ isRight: isSha256, expected: '64 lower-case hex digits' }),
    model_tool_name: unsuspicious({
      isRight: isModelToolName,
      expected: '1 to 64 of A-Z a-z 0-9 _ -',
    }),
    description: plainText(4096),
    input_schema: schema,
    output_schema: schema,
    side_effect_class: oneOf<SideEffectClass>([
      'read_only',
      'artifact_write',
      'workspace_write',
      'process_execution',
      'network_read',
      'network_write',
      'terminal',
    ]),
    idempotency: oneOf<Idempotency>([
      'idempotent',
      'idempotent_with_key',
      'non_idempotent',
      'unknown',
    ]),
    required_capabilities: optional(idList({ isRight: isDottedId, expected: 'a dotted id' }), []),
    produced_artifact_ids: optional(
      idList({ isRight: isArtifactId, expected: 'an artifact id' }),
      [],
    ),
    timeout_policy: carried(),
    output_policy: carried(),
  },
  { mayLack: ['timeout_policy', 'output_policy'] },
);
