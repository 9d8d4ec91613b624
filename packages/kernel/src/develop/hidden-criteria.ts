import { type ArtifactStore, canonicalJson, type JsonValue } from '@millforge/contracts';
import type { DevelopCriterion } from './develop-contract.ts';
import type { DevelopTerms } from './develop-terms.ts';
import { readArtifact } from './tree/read-artifact.ts';

/** The criteria that the model is told nothing of. */
export interface HiddenCriteria {
  /** The criteria, in the order of the contract. */
  readonly criteria: readonly Required<DevelopCriterion>[];
  /** Whether a text repeats a name, a text or an argument of one. */
  readonly isToldIn: (text: string) => boolean;
}

/** The bytes that keep them, apart from the goal. */
export function hiddenBytes(criteria: readonly Required<DevelopCriterion>[]): Uint8Array {
  const list: JsonValue = criteria.map((one) => ({ ...one, command: [...one.command] }));
  return Buffer.from(
    canonicalJson({ kind: 'develop_hidden_criteria', schema_version: '1.0', criteria: list }),
  );
}

/** Loads them by their digest. What the criteria that are not hidden say as well tells nothing of them. */
export async function loadHidden(
  store: Pick<ArtifactStore, 'open'>,
  {
    hidden_criteria_sha256: digest,
    criteria: visible,
  }: Pick<DevelopTerms, 'hidden_criteria_sha256' | 'criteria'>,
): Promise<HiddenCriteria> {
  if (digest === null) return { criteria: [], isToldIn: () => false };
  const said = visible.map((one) => [one.name, one.text, ...one.command].join('\n')).join('\n');
  const text = Buffer.from(await readArtifact(store, digest)).toString('utf8');
  // The store has compared the digest, under which only `hiddenBytes` is kept.
  const { criteria } = JSON.parse(text) as { readonly criteria: HiddenCriteria['criteria'] };
  const telling = new Set(
    criteria
      .flatMap(({ name, text: words, command }) => [name, words, ...command.slice(1)])
      .flatMap((part) => [part, part.replaceAll('{checks}/', '').replaceAll('{checks}', '')])
      .filter((part) => part.length >= MIN_TELLING && !said.includes(part)),
  );
  return {
    criteria,
    isToldIn: (output) => [...telling].some((part) => output.includes(part)),
  };
}

/** What is shorter says nothing: `-e`, `run`. */
const MIN_TELLING = 4;
