import type { JsonValue } from '@millforge/contracts';

/** Who proposed a finding: a model, a rule or a script written beforehand, or code of the host. */
export type FindingOrigin = 'model' | 'scripted' | 'host';

/** How much a finding matters, as whoever proposed it says. */
export type FindingSeverity = 'info' | 'low' | 'medium' | 'high' | 'critical';

/** Every severity, the least first. */
export const SEVERITIES: readonly FindingSeverity[] = ['info', 'low', 'medium', 'high', 'critical'];

/** What a role proposes: a claim about lines of a captured file, with these lines as evidence. */
export interface ProposedFinding {
  /** Path of the file. */
  readonly path: string;
  /** First line, from 1. */
  readonly start_line: number;
  /** Last line. */
  readonly end_line: number;
  /** The lines, exactly as they stand. */
  readonly quote: string;
  /** What is claimed about them. */
  readonly claim: string;
  /** How much it matters. */
  readonly severity: FindingSeverity;
}

/** Says which finding is meant, and whose it is. */
export interface FindingIdentity {
  /** Name of the finding in its review: `correctness/3`. */
  readonly finding_id: string;
  /** The role that proposed it. */
  readonly role: string;
  /** Who proposed it. */
  readonly origin: FindingOrigin;
}

/** A finding whose quote stands in the capture. That the source is real does not make the claim true. */
export interface AcceptedFinding extends FindingIdentity, ProposedFinding {
  /** What was found out. */
  readonly verdict: 'accepted';
  /** Digest of the captured file. */
  readonly file_sha256: string;
  /** Digest of the quoted lines, joined by line feeds. */
  readonly quote_sha256: string;
}

/** A finding that does not hold, kept as it was proposed. */
export interface RejectedFinding extends FindingIdentity {
  /** What was found out. */
  readonly verdict: 'rejected';
  /** Why. */
  readonly reason: RejectionReason;
  /** One sentence about it. */
  readonly message: string;
  /** Lines at which the quote does stand in that file, at most five. */
  readonly found_at: readonly number[];
  /** What was proposed. */
  readonly proposed: JsonValue;
}

/** Why a finding does not hold. */
export type RejectionReason =
  /** A field is missing, too long or of the wrong kind. */
  | 'malformed'
  /** No such file was captured. */
  | 'path-not-captured'
  /** The file is no text, so that it has no lines. */
  | 'not-text'
  /** The file has no such lines. */
  | 'range-outside-file'
  /** The lines are not what the quote says. */
  | 'quote-differs'
  /** The captured bytes are gone, or not those of the capture any more. */
  | 'digest-differs';

/** A finding as it was proposed, and what was found out about it. */
export type JudgedFinding = AcceptedFinding | RejectedFinding;

/** Reads what was proposed as a finding, or says in one sentence what is wrong with it. */
export function readProposedFinding(
  value: JsonValue,
):
  | { readonly ok: true; readonly finding: ProposedFinding }
  | { readonly ok: false; readonly problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problem: 'A finding is an object.' };
  }
  const fields = new Map<string, JsonValue>(Object.entries(value));
  const texts = new Map<string, string>();
  for (const [name, maxLength] of TEXTS) {
    const text = fields.get(name);
    // An empty line can be quoted; nothing else may be empty.
    if (typeof text !== 'string' || (text === '' && name !== 'quote')) {
      return { ok: false, problem: `The field ${name} must be a text.` };
    }
    if (text.length > maxLength) {
      return {
        ok: false,
        problem: `The field ${name} is longer than ${maxLength} characters.`,
      };
    }
    texts.set(name, text);
  }
  const [first, last] = [fields.get('start_line'), fields.get('end_line')];
  if (!isLine(first) || !isLine(last) || last < first) {
    return {
      ok: false,
      problem:
        'start_line and end_line must be whole numbers from 1, the first not behind the last.',
    };
  }
  const severity = SEVERITIES.find((one) => one === fields.get('severity'));
  if (severity === undefined) {
    return { ok: false, problem: `The field severity must be one of ${SEVERITIES.join(', ')}.` };
  }
  return {
    ok: true,
    finding: {
      path: texts.get('path') ?? '',
      start_line: first,
      end_line: last,
      quote: texts.get('quote') ?? '',
      claim: texts.get('claim') ?? '',
      severity,
    },
  };
}

function isLine(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

const TEXTS = [
  ['path', 4096],
  ['quote', 16_384],
  ['claim', 4096],
] as const;
