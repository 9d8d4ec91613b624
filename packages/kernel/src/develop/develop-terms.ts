import type { JsonObject, JsonValue } from '@millforge/contracts';
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

/** The inputs of a goal. */
export function toInputs(
  contract: CompleteDevelopContract,
  places: Pick<DevelopTerms, 'candidate' | 'checks' | 'hidden_criteria_sha256'>,
): JsonObject {
  const { rounds, phases, allowed_paths, ignore, restore, criteria } = contract;
  const terms: DevelopTerms = {
    rounds,
    phases,
    allowed_paths,
    ignore,
    restore,
    criteria: criteria.filter(({ hidden }) => !hidden),
    ...places,
  };
  return { kind: TERMS_KIND, schema_version: '1.0', terms: asJson(terms) };
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
function asJson(terms: DevelopTerms): JsonValue {
  return JSON.parse(JSON.stringify(terms));
}

const TERMS_KIND = 'develop_terms';
