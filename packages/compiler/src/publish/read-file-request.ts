import {
  type CapabilityConstraints,
  type Diagnostic,
  deepFreeze,
  isDottedId,
  isTerminalResult,
} from '@millforge/contracts';
import { report } from '../diagnostics.ts';
import {
  closed,
  type DocumentFault,
  isMapping,
  literal,
  optional,
  type Reader,
  records,
  refuse,
  type TextRule,
  text,
} from '../document-readers.ts';
import { readConstraints } from '../read/constraint-shape.ts';
import type {
  CapabilityEnvelope,
  CapabilityGrant,
  CompileFileRequest,
} from './compile-file-request.ts';

/** A private, frozen copy of a right request, or the first fault of a wrong one. */
export type ReadFileRequestResult =
  | { readonly ok: true; readonly request: CompileFileRequest }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

/** Reads a request document that anybody may have written; later changes to it do not show. */
export function readFileRequest(
  given: unknown,
  options: { readonly mayLeaveToSource: boolean },
): ReadFileRequestResult {
  const faults: DocumentFault[] = [];
  const read = options.mayLeaveToSource ? readOpenRequest : readWholeRequest;
  const request = read(given, { path: [], faults, keysOf: Object.keys });
  const [fault] = faults;
  if (request !== undefined && fault === undefined)
    return { ok: true, request: deepFreeze(request) };
  const pointer = toPointer(fault?.path ?? []);
  const place = {
    path: '/',
    hint: `Expected ${fault?.expected ?? 'a request'} at ${pointer}.`,
    fields: { field_path: pointer },
  };
  return { ok: false, diagnostic: report.requestInvalid(place) };
}

/** The id of a request that may be wrong otherwise; `request.invalid` where it has none. */
export function requestIdOf(given: unknown): string {
  const id = isMapping(given) && Object.hasOwn(given, 'request_id') ? given['request_id'] : null;
  return typeof id === 'string' && isDottedId(id) ? id : INVALID_REQUEST_ID;
}

/** Names a request that has no legal id. */
export const INVALID_REQUEST_ID = 'request.invalid';

function toPointer(path: DocumentFault['path']): string {
  const segments = path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'));
  return `/${segments.join('/')}`;
}

const DOTTED_ID: TextRule = { isRight: isDottedId, expected: 'a dotted id' };
const TERMINAL: TextRule = { isRight: isTerminalResult, expected: 'a terminal result' };
const PATH: TextRule = {
  isRight: (path) => path.trim() !== '' && isText(path, 1024),
  expected: 'a path of 1 to 1,024 bytes',
};
const ROOT: TextRule = {
  isRight: (path) => path.startsWith('/') && isText(path, 4096),
  expected: 'an absolute path of at most 4,096 bytes',
};

// Half of a surrogate pair has no bytes: no file can have such a name.
function isText(value: string, maxBytes: number): boolean {
  return !/\p{Surrogate}/u.test(value) && new TextEncoder().encode(value).length <= maxBytes;
}

const format: Reader<'yaml' | 'json'> = (value, at) =>
  value === 'json'
    ? value
    : (literal('yaml')(value, { ...at, faults: [] }) ?? refuse(at, 'yaml or json'));

const terminals = records(text(TERMINAL), (results, at) => {
  const isRight = results.length >= 1 && results.length <= 64 && areDistinct(results);
  if (!isRight) refuse(at, '1 to 64 terminal results without repetitions');
  return isRight;
});

// An empty object bounds nothing, as null does.
const constraints: Reader<CapabilityConstraints | null> = (value, at) =>
  value === null || (isMapping(value) && Object.keys(value).length === 0)
    ? null
    : readConstraints(value, at);

const grants = records(
  closed<CapabilityGrant>(
    { capability_id: text(DOTTED_ID), constraints: optional(constraints, null) },
    { mayLack: ['constraints'] },
  ),
  (items, at) => {
    const isRight = areDistinct(items.map((grant) => grant.capability_id));
    if (!isRight) refuse(at, 'capabilities without repetitions');
    return isRight;
  },
);

const FIELDS = {
  request_id: text(DOTTED_ID),
  source_path: text(PATH),
  source_root: text(ROOT),
  source_format: format,
  output_dir: text(PATH),
  output_root: text(ROOT),
  expected_harness_id: text(DOTTED_ID),
  stage_kind_id: text(DOTTED_ID),
  legal_terminal_results: terminals,
  capability_envelope: closed<CapabilityEnvelope>({ grants }),
};

const readWholeRequest = closed<CompileFileRequest>(FIELDS);
const readOpenRequest = closed<CompileFileRequest>(FIELDS, {
  mayLack: ['expected_harness_id', 'stage_kind_id', 'legal_terminal_results'],
});

function areDistinct(items: readonly string[]): boolean {
  return new Set(items).size === items.length;
}

/** A copy of plain JSON, or undefined for anything that is not. */
