import { operationFailed } from '@millforge/contracts';
import type { TaskContext } from '../adapter.ts';
import { candidateOf, type DevelopParts } from './develop-parts.ts';
import type { DevelopTerms } from './develop-terms.ts';
import { captureTree } from './tree/capture-tree.ts';
import {
  type CapturedTree,
  compareTrees,
  readTree,
  type TreeChange,
  treeBytes,
  treeDigest,
} from './tree/captured-tree.ts';
import { compilePathRules } from './tree/path-rules.ts';
import { readArtifact } from './tree/read-artifact.ts';

/** The digests of both trees at one moment. */
export type TreeDigests = {
  /** Digest of the candidate. */
  readonly candidate_sha256: string;
  /** Digest of the protected checks; null when there are none. */
  readonly checks_sha256: string | null;
};

/** A path that changed where or when it may not. */
export type TreeViolation = TreeChange & {
  /** The tree that it is in. */
  readonly tree: 'candidate' | 'checks';
};

/** What a look at both trees saw. */
export type TreeLook = TreeDigests & {
  /** What changed and might, at most 1,000 paths. */
  readonly changes: readonly TreeChange[];
  /** What changed and might not, at most 200 paths. */
  readonly violations: readonly TreeViolation[];
  /** Number of all changes that might not be. */
  readonly violation_count: number;
};

/** One look at both trees. */
export interface Look {
  /** Key of the operation. */
  readonly key: string;
  /** Step of the operation. */
  readonly step: number;
  /** What must be found. */
  readonly expected: TreeDigests;
  /** Rules for what may differ in the candidate; null for nothing. */
  readonly allowed: readonly string[] | null;
}

/**
 * Looks at both trees, as an operation, and says what differs from what is expected. A candidate that may differ is
 * kept, whole.
 */
export async function lookAtTrees(
  parts: DevelopParts,
  context: TaskContext,
  { terms, look }: { readonly terms: DevelopTerms; readonly look: Look },
): Promise<TreeLook> {
  const outcome = await context.perform<TreeLook>(
    {
      key: look.key,
      step: look.step,
      kind: 'read',
      effect: 'read',
      repeat: 'safe',
      metered: false,
      input: { expected: look.expected, allowed: look.allowed },
      describe: 'look at the candidate and the protected checks',
    },
    async ({ signal }) => ({ value: await see(parts, context, { terms, look, signal }) }),
  );
  if (outcome.kind === 'done') return outcome.value;
  throw operationFailed(outcome.kind === 'failed' ? outcome.error : outcome.reason);
}

/** Captures a candidate and keeps what is not kept yet. */
export async function keepTree(
  context: Pick<TaskContext, 'saveArtifact'>,
  captured: {
    readonly directory: string;
    readonly ignore: readonly string[];
    readonly known: ReadonlySet<string>;
    readonly signal: AbortSignal;
  },
): Promise<CapturedTree> {
  const known = new Set(captured.known);
  const tree = await captureTree(captured.directory, {
    isIgnored: compilePathRules([...ALWAYS_IGNORED, ...captured.ignore]),
    signal: captured.signal,
    isForPatch: true,
    async keep(bytes, digest) {
      if (known.has(digest)) return;
      known.add(digest);
      await context.saveArtifact(bytes, {
        mediaType: 'application/octet-stream',
        maxBytes: bytes.length,
      });
    },
  });
  const document = treeBytes(tree);
  await context.saveArtifact(document, { mediaType: TREE_TYPE, maxBytes: document.length });
  return tree;
}

/** Digests of all files of a tree. */
export function contentsOf({ entries }: CapturedTree): ReadonlySet<string> {
  return new Set(entries.flatMap((entry) => (entry.type === 'file' ? [entry.sha256] : [])));
}

async function see(
  parts: DevelopParts,
  context: TaskContext,
  {
    terms,
    look,
    signal,
  }: { readonly terms: DevelopTerms; readonly look: Look; readonly signal: AbortSignal },
): Promise<TreeLook> {
  const { allowed, expected } = look;
  const directory = candidateOf(parts, context.goalId);
  const before = await loadTree(parts, expected.candidate_sha256);
  const { ignore } = terms;
  const captured =
    allowed === null
      ? await captureOnly(directory, ignore, signal)
      : await keepTree(context, { directory, ignore, known: contentsOf(before), signal });
  const differences = compareTrees(before, captured);
  const mayDiffer = allowedChanges(differences, compilePathRules(allowed ?? []), [
    before,
    captured,
  ]);
  const violations: TreeViolation[] = differences
    .filter(({ path }) => !mayDiffer(path))
    .map((change) => ({ ...change, tree: 'candidate' }));
  const checks = await seeChecks(parts, { terms, expected, signal });
  violations.push(...checks.changes.map((change) => ({ ...change, tree: 'checks' as const })));
  return {
    candidate_sha256: treeDigest(captured),
    checks_sha256: checks.sha256,
    changes: differences.filter(({ path }) => mayDiffer(path)).slice(0, MAX_CHANGES),
    violations: violations.slice(0, MAX_VIOLATIONS),
    violation_count: violations.length,
  };
}

/** What a rule allows, and the directories that come or go with it. */
function allowedChanges(
  differences: readonly TreeChange[],
  isAllowed: (path: string) => boolean,
  trees: readonly CapturedTree[],
): (path: string) => boolean {
  const allowed = differences.filter(({ path }) => isAllowed(path)).map(({ path }) => path);
  const leading = new Set(
    allowed.flatMap((path) => {
      const parts = path.split('/').slice(0, -1);
      return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    }),
  );
  const others = trees.flatMap(({ entries }) => entries.filter(({ type }) => type !== 'directory'));
  for (const { path } of others) leading.delete(path);
  return (path) => isAllowed(path) || leading.has(path);
}

async function seeChecks(
  parts: DevelopParts,
  {
    terms,
    expected,
    signal,
  }: {
    readonly terms: DevelopTerms;
    readonly expected: TreeDigests;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly sha256: string | null; readonly changes: readonly TreeChange[] }> {
  if (terms.checks === null || expected.checks_sha256 === null)
    return { sha256: null, changes: [] };
  const found = await captureOnly(terms.checks.place, [], signal);
  const sha256 = treeDigest(found);
  if (sha256 === expected.checks_sha256) return { sha256, changes: [] };
  return { sha256, changes: compareTrees(await loadTree(parts, expected.checks_sha256), found) };
}

/** Captures a tree without keeping anything of it. */
export function captureOnly(
  directory: string,
  ignore: readonly string[],
  signal?: AbortSignal,
): Promise<CapturedTree> {
  return captureTree(directory, {
    isIgnored: compilePathRules([...ALWAYS_IGNORED, ...ignore]),
    isForPatch: true,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A captured tree that is kept. */
export async function loadTree(
  { store }: Pick<DevelopParts, 'store'>,
  digest: string,
): Promise<CapturedTree> {
  return readTree(await readArtifact(store, digest));
}

/** Fails the development when paths changed that might not. */
export function assertUntouched(look: TreeLook, when: string): void {
  if (look.violation_count === 0) return;
  const named = look.violations.slice(0, NAMED).map(({ tree, path, change }) => {
    const where = tree === 'checks' ? ' of the protected checks' : '';
    return `${JSON.stringify(path)}${where} was ${change}`;
  });
  const rest = look.violation_count - named.length;
  throw operationFailed({
    code: 'integrity-violation',
    message: `${when}: ${named.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}.`,
    data: { violations: look.violations, count: look.violation_count },
  });
}

const ALWAYS_IGNORED = ['**/.git'];
const TREE_TYPE = 'application/vnd.millforge.captured-tree+json';
const MAX_CHANGES = 1000;
const MAX_VIOLATIONS = 200;
const NAMED = 5;
