import { canonicalJson, isSha256, type JsonObject, type Redactor } from '@millforge/contracts';
import { kernelError } from '../kernel-error.ts';
import { isJsonObject } from './json-object.ts';

/** Where a payload goes, and through what. */
export interface PublicationAction {
  /** Name of the publisher that carries it out, and of no other. */
  readonly publisher: string;
  /** The one place: a directory, a repository and ref, a URL. Up to 2,048 characters, no secret. */
  readonly target: string;
  /** Settings of the publisher that the approval covers too; up to 16 KiB, no secret. */
  readonly parameters: JsonObject;
}

/** What somebody wants to be published. */
export interface PublicationRequest {
  /** The rule under which it is published, for the approver to read; up to 256 characters. */
  readonly policy: string;
  /** What the payload is a revision of, in the host's words; up to 256 characters. */
  readonly revision: string;
  /** Where it goes. */
  readonly action: Omit<PublicationAction, 'parameters'> & Partial<PublicationAction>;
  /** Digest of the exact bytes: the output of a task, or an artifact, of this goal. */
  readonly payloadSha256: string;
}

/** The whole of what is approved; its digest is what an approval names. */
export interface PublicationIntent {
  /** What this document is. */
  readonly kind: 'publication_intent';
  /** Version of its form. */
  readonly schema_version: '1.0';
  /** Whose goal it is. */
  readonly tenant: string;
  /** What the host works on. */
  readonly resource: string;
  /** The goal whose output is published. */
  readonly goal_id: string;
  /** Name of the goal that no other goal of any trail has. */
  readonly goal_uid: string;
  /** What the goal was to do. */
  readonly contract_sha256: string;
  /** The last receipt of the goal: everything that it did. */
  readonly receipt_sha256: string | null;
  /** The rule under which it is published. */
  readonly policy: string;
  /** What the payload is a revision of. */
  readonly revision: string;
  /** Where it goes. */
  readonly action: PublicationAction;
  /** The exact bytes that go there. */
  readonly payload: PublicationPayload;
  /** 1, and one more each time that an equal intent had ended without an effect. */
  readonly round: number;
}

/** The bytes of a publication, by digest. */
export interface PublicationPayload {
  /** Digest of the bytes. */
  readonly sha256: string;
  /** Their number. */
  readonly bytes: number;
  /** Their media type. */
  readonly media_type: string;
}

/** Reads what a host asks for; `kernel/intent-invalid` names the first thing that is wrong. */
export function readRequest(
  request: PublicationRequest,
  redactor: Redactor,
): Omit<PublicationRequest, 'action'> & { readonly action: PublicationAction } {
  // A host without types may hand over anything.
  if (!isJsonObject(request) || !isJsonObject(request.action)) {
    throw invalid('action', 'an object with publisher and target');
  }
  const { policy, revision, payloadSha256 } = request;
  const { publisher, target, parameters = {} } = request.action;
  const action = { publisher, target, parameters };
  checkText('policy', policy, 256);
  checkText('revision', revision, 256);
  checkText('action.publisher', publisher, 128);
  checkText('action.target', target, 2048);
  checkParameters(parameters);
  if (!isSha256(payloadSha256)) throw invalid('payloadSha256', '64 lower-case hexadecimal digits');
  for (const [field, value] of Object.entries({ policy, revision, ...action })) {
    const text = canonicalJson(value);
    if (canonicalJson(redactor.value(value)) === text && !USER_IN_WEB_ADDRESS.test(text)) continue;
    throw kernelError(
      'kernel/intent-invalid',
      `The ${field} of the intent looks like a secret; what is approved is kept and shown, so hand secrets to the publisher instead.`,
    );
  }
  return { policy, revision, action, payloadSha256 };
}

function checkText(field: string, value: unknown, max: number): void {
  if (typeof value === 'string' && value !== '' && value.length <= max) return;
  throw invalid(field, `a text of 1 to ${max} characters`);
}

function checkParameters(parameters: unknown): void {
  const expected = 'a JSON object of at most 16 KiB';
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
    throw invalid('action.parameters', expected);
  }
  let text: string;
  try {
    text = canonicalJson(parameters as JsonObject); // The encoder refuses whatever is no JSON.
  } catch (cause) {
    throw Object.assign(invalid('action.parameters', expected), { cause });
  }
  if (text.length > MAX_PARAMETERS) throw invalid('action.parameters', expected);
}

function invalid(field: string, expected: string): Error {
  return kernelError(
    'kernel/intent-invalid',
    `The intent is wrong at ${field}: expected ${expected}.`,
    {
      field,
    },
  );
}

// A user name alone is how many a server takes a token; over ssh it is only a name.
const USER_IN_WEB_ADDRESS = /https?:\/\/[^\s/?#"]*@/i;
const MAX_PARAMETERS = 16_384;
