import { digest, type JsonObject, type JsonValue } from '@millforge/contracts';
import type {
  CompleteDevelopContract,
  DevelopCriterion,
  OptionalPhase,
} from './develop-contract.ts';
import { developError } from './develop-error.ts';

/**
 * What a goal keeps of the contract of its development. The hidden criteria are not in it: they lie apart, under
 * their digest.
 */
export interface DevelopTerms {
  /** Rounds that there may be. */
  readonly rounds: number;
  /** Phases besides those that every round has. */
  readonly phases: readonly OptionalPhase[];
  /** Where `build` may write. */
  readonly allowed_paths: readonly string[];
  /** What is no part of the candidate. */
  readonly ignore: readonly string[];
  /** Whether a repeated `build` starts from the tree before it. */
  readonly restore: boolean;
  /** The criteria that the model is told. */
  readonly criteria: readonly Required<DevelopCriterion>[];
  /** Digest of the others; null when there are none. */
  readonly hidden_criteria_sha256: string | null;
  /** Digest of the whole contract, the hidden criteria included. */
  readonly develop_contract_sha256: string;
  /** The tree that is developed, as it was at admission. */
  readonly candidate: TreePlace;
  /** The tree of protected checks; null when there is none. */
  readonly checks: TreePlace | null;
}

/** A directory of the host and what it held. */
export interface TreePlace {
  /** Its absolute path. */
  readonly place: string;
  /** Digest of the tree. */
  readonly sha256: string;
}

/** What only admission knows. */
export interface AdmittedWith
  extends Pick<DevelopTerms, 'candidate' | 'checks' | 'hidden_criteria_sha256'> {
  /** What the host keeps with the goal for itself. */
  readonly host: JsonValue;
}

/** The inputs of a goal. */
export function toInputs(
  contract: CompleteDevelopContract,
  { host, ...places }: AdmittedWith,
): JsonObject {
  const { rounds, phases, allowed_paths, ignore, restore, criteria } = contract;
  const terms: DevelopTerms = {
    rounds,
    phases,
    allowed_paths,
    ignore,
    restore,
    criteria: criteria.filter(({ hidden }) => !hidden),
    develop_contract_sha256: contractDigest(contract),
    ...places,
  };
  return { kind: TERMS_KIND, schema_version: '1.0', terms: asJson(terms), host };
}

/** The digest by which a contract is known again. */
export function contractDigest(contract: CompleteDevelopContract): string {
  return digest(asJson(contract));
}

/**
 * Reads the terms back out of a goal's inputs.
 *
 * @throws `develop/not-a-development`.
 */
export function readTerms(inputs: JsonObject): DevelopTerms {
  const terms = inputs['terms'];
  if (inputs['kind'] !== TERMS_KIND || terms === undefined) {
    throw developError('develop/not-a-development', 'The goal is no development.');
  }
  // Only `toInputs` writes this kind, and the goal keeps it by digest.
  return terms as unknown as DevelopTerms;
}

// A round trip, because interfaces without an index signature are not JSON to the type checker.
function asJson(document: DevelopTerms | CompleteDevelopContract): JsonValue {
  return JSON.parse(JSON.stringify(document));
}

const TERMS_KIND = 'develop_terms';
