import type { ProviderAnswer, TransportFailure } from '@millforge/connectors';
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { linkFaultReason } from './link-fault.ts';
import { toWellFormed } from './well-formed.ts';

/** What an error of the client means, and whether the server may have seen the request. */
export function toTransportFailure(
  error: unknown,
  what: { readonly signal: AbortSignal; readonly sent: boolean; readonly words: string },
): TransportFailure {
  const { signal, sent, words } = what;
  const failed = (reason: TransportFailure['reason'], message: string): TransportFailure => ({
    kind: 'failed',
    reason,
    sent,
    message: words === '' ? message : `${message} ${words}`,
  });
  if (signal.aborted)
    return { kind: 'failed', reason: 'stopped', sent, message: 'It was stopped.' };
  const reason = linkFaultReason(error);
  if (reason === 'unauthorized' || isUnauthorized(error)) {
    // Whoever is not let in is told so before anything is performed.
    const message = reason !== null && error instanceof Error ? error.message : NOT_LET_IN;
    return { kind: 'failed', reason: 'refused', sent: false, message };
  }
  if (reason !== null && error instanceof Error)
    return { kind: 'failed', reason, sent, message: error.message };
  if (error instanceof ProtocolError) {
    return failed('protocol', `It answered with the error ${error.code}.`);
  }
  if (!(error instanceof SdkError)) return failed('lost', 'The connection broke.');
  const [why, message] = MEANINGS.get(error.code) ?? ['lost', 'The connection ended.'];
  return failed(why, message);
}

function isUnauthorized(error: unknown): boolean {
  return (
    error instanceof UnauthorizedError ||
    (error instanceof SdkError && error.code === SdkErrorCode.ClientHttpAuthentication)
  );
}

/** What an error in the place of a result says about a call: refused before it was made, or failed. */
export function toErrorAnswer(error: ProtocolError): ProviderAnswer {
  const message = toWellFormed(error.message.slice(0, 4096));
  if (error.code === METHOD_NOT_FOUND) return { kind: 'rejected', reason: 'unknown-tool', message };
  if (error.code === INVALID_PARAMS) {
    return { kind: 'rejected', reason: 'invalid-arguments', message };
  }
  return { kind: 'answered', isError: true, text: message, structured: null };
}

const NOT_LET_IN = 'It lets nobody in without a token, and takes none that it is given.';
const ASKED: Meaning = ['refused', 'It asked for input, which servers are not given here.'];
const MEANINGS = new Map<SdkErrorCode, Meaning>([
  [SdkErrorCode.UnsupportedResultType, ASKED],
  [SdkErrorCode.InputRequiredRoundsExceeded, ASKED],
  [SdkErrorCode.InvalidResult, ['protocol', 'It answered with something that is no result.']],
  [SdkErrorCode.RequestTimeout, ['lost', 'It did not answer in time.']],
]);
type Meaning = readonly [TransportFailure['reason'], string];
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
