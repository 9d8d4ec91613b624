import { type Diagnostic, isDottedId, isTerminalResult } from '@millforge/contracts';
import type { CompileRequest } from '../compile-request.ts';
import { report } from '../diagnostics.ts';
import { type DocumentFault, isMapping, type Mapping } from '../document-readers.ts';
import { readConstraints } from './constraint-shape.ts';

/** A private, frozen copy of a right request, or the first fault of a wrong one. */
export type ReadRequestResult =
  | { readonly ok: true; readonly request: CompileRequest }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads a request that any program may have put together; later changes to the original do not show. */
export function readRequest(given: CompileRequest): ReadRequestResult {
  const request = copyOf(given);
  const fault = request === null ? { pointer: '/', expected: 'an object' } : firstFault(request);
  if (request !== null && fault === null) return { ok: true, request };
  const pointer = fault?.pointer ?? '/';
  return {
    ok: false,
    diagnostics: [
      report.requestInvalid({
        path: '/',
        hint: `Expected ${fault?.expected} at ${pointer}.`,
        fields: { field_path: pointer },
      }),
    ],
  };
}

function copyOf(given: unknown): CompileRequest | null {
  if (typeof given !== 'object' || given === null) return null;
  const copy: { [key: string]: unknown } = {};
  for (const [key, value] of Object.entries(given)) {
    if (value !== undefined) copy[key] = Array.isArray(value) ? value.map(copyOfItem) : value;
  }
  // Every field is looked at by `firstFault` before anything else sees it.
  return Object.freeze(copy) as object as CompileRequest;
}

/** Grants may be objects; everything else in a list is text, or found to be wrong. */
function copyOfItem(item: unknown): unknown {
  if (!isMapping(item)) return item;
  const { constraints, ...rest } = item;
  // Null bounds nothing, as in a request document.
  if (constraints === undefined || constraints === null) return Object.freeze(rest);
  const copy = isMapping(constraints) ? copyOfLists(constraints) : constraints;
  return Object.freeze({ ...rest, constraints: copy });
}

/** Constraints hold lists of texts and a number; anything else in them is found to be wrong. */
function copyOfLists(constraints: Mapping): Mapping {
  const entries = Object.entries(constraints).map(
    ([name, value]) => [name, Array.isArray(value) ? Object.freeze([...value]) : value] as const,
  );
  return Object.freeze(Object.fromEntries(entries));
}

interface Fault {
  readonly pointer: string;
  readonly expected: string;
}

/** The fields in the order of the request document, under its names. */
function firstFault(request: CompileRequest): Fault | null {
  return (
    textFault('/request_id', request.requestId, DOTTED_ID) ??
    textFault('/source_path', request.logicalPath, PATH) ??
    textFault('/source_format', request.format, FORMAT) ??
    textFault('/expected_harness_id', request.expectedHarnessId, DOTTED_ID) ??
    textFault('/stage_kind_id', request.stageKindId, DOTTED_ID) ??
    terminalsFault(request.legalTerminalResults) ??
    grantsFault(request.grants) ??
    unknownFault(request)
  );
}

interface Rule {
  readonly isRight: (text: string) => boolean;
  readonly expected: string;
}

const DOTTED_ID: Rule = { isRight: isDottedId, expected: 'a dotted id' };
const FORMAT: Rule = { isRight: (text) => /^(?:yaml|json)$/.test(text), expected: 'yaml or json' };
const PATH: Rule = {
  isRight: (text) => text.trim() !== '' && new TextEncoder().encode(text).length <= 1024,
  expected: 'text of 1 to 1,024 bytes',
};

function textFault(pointer: string, value: unknown, rule: Rule): Fault | null {
  if (value === undefined) return null;
  const isRight = typeof value === 'string' && rule.isRight(value);
  return isRight ? null : { pointer, expected: rule.expected };
}

function terminalsFault(results: unknown): Fault | null {
  const pointer = '/legal_terminal_results';
  if (results === undefined) return null;
  if (!Array.isArray(results) || results.length < 1 || results.length > 64) {
    return { pointer, expected: 'a list of 1 to 64 terminal results' };
  }
  const wrong = results.findIndex((item) => typeof item !== 'string' || !isTerminalResult(item));
  if (wrong >= 0) return { pointer: `${pointer}/${wrong}`, expected: 'a terminal result' };
  return new Set(results).size === results.length
    ? null
    : { pointer, expected: 'terminal results without repetitions' };
}

function grantsFault(grants: unknown): Fault | null {
  const pointer = '/capability_envelope/grants';
  if (!Array.isArray(grants)) return { pointer, expected: 'a list of capability ids' };
  const ids: string[] = [];
  for (const [index, grant] of grants.entries()) {
    const id: unknown = isMapping(grant) ? grant['capabilityId'] : grant;
    if (typeof id !== 'string' || !isDottedId(id)) {
      return { pointer: `${pointer}/${index}/capability_id`, expected: 'a dotted id' };
    }
    if (isMapping(grant)) {
      const fault = constrainedGrantFault(grant, `${pointer}/${index}`);
      if (fault !== null) return fault;
    }
    ids.push(id);
  }
  return new Set(ids).size === ids.length
    ? null
    : { pointer, expected: 'capability ids without repetitions' };
}

function constrainedGrantFault(grant: Mapping, pointer: string): Fault | null {
  const isKnown = Object.keys(grant).every((key) => GRANT_KEYS.has(key));
  if (!isKnown) return { pointer, expected: `only ${[...GRANT_KEYS].join(', ')}` };
  const { constraints } = grant;
  if (constraints === undefined) return null;
  const faults: DocumentFault[] = [];
  readConstraints(constraints, { path: [], faults, keysOf: Object.keys });
  const [first] = faults;
  if (first === undefined) return null;
  const place = first.path.map((segment) => `/${segment}`).join('');
  return { pointer: `${pointer}/constraints${place}`, expected: first.expected };
}

const GRANT_KEYS: ReadonlySet<string> = new Set(['capabilityId', 'constraints']);

function unknownFault(request: CompileRequest): Fault | null {
  const isUnknown = Object.keys(request).some((key) => !KNOWN.has(key));
  return isUnknown ? { pointer: '/', expected: `only ${[...KNOWN].join(', ')}` } : null;
}

const KNOWN: ReadonlySet<string> = new Set([
  'requestId',
  'format',
  'logicalPath',
  'expectedHarnessId',
  'stageKindId',
  'legalTerminalResults',
  'grants',
]);
