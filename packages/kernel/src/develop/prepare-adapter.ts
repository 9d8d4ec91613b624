import { operationFailed } from '@millforge/contracts';
import type { TaskContext, WorkAdapter } from '../adapter.ts';
import { bindingOf } from './adapter-binding.ts';
import { candidateOf, type DevelopParts } from './develop-parts.ts';
import { readTerms, type TreePlace } from './develop-terms.ts';
import { contentsOf, keepTree } from './look-at-trees.ts';
import { type CapturedTree, treeDigest } from './tree/captured-tree.ts';
import { placeTree } from './tree/place-tree.ts';

/** Captures both trees as they were admitted, and makes the work copy. A repetition makes it anew. */
export function prepareAdapter(parts: DevelopParts): WorkAdapter {
  return {
    ...bindingOf('prepare', null),
    kind: 'tool',
    async run(context) {
      const { candidate, checks, ignore } = readTerms(context.inputs);
      const tree = await keepAdmitted(context, { ...candidate, ignore, known: new Set() });
      if (checks !== null) {
        await keepAdmitted(context, { ...checks, ignore: [], known: contentsOf(tree) });
      }
      const directory = candidateOf(parts, context.goalId);
      await placeTree(tree, { directory, store: parts.store });
      return {
        kind: 'develop_phase',
        schema_version: '1.0',
        phase: 'prepare',
        round: 0,
        candidate_sha256: candidate.sha256,
        checks_sha256: checks?.sha256 ?? null,
      };
    },
  };
}

async function keepAdmitted(
  context: TaskContext,
  {
    place,
    sha256,
    ignore,
    known,
  }: TreePlace & { readonly ignore: readonly string[]; readonly known: ReadonlySet<string> },
): Promise<CapturedTree> {
  const { signal } = context;
  const tree = await keepTree(context, { directory: place, ignore, known, signal });
  if (treeDigest(tree) === sha256) return tree;
  throw operationFailed({
    code: 'integrity-violation',
    message: `The tree ${place} changed between its admission and its capture; admit it anew under another name.`,
  });
}
