import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createRedactor, operationFailed, type Redactor } from '@millforge/contracts';
import type { VerifyAdapter, VerifyContext } from '../adapter.ts';
import { bindingOf } from './adapter-binding.ts';
import type { DevelopCriterion } from './develop-contract.ts';
import { copiesOf, type DevelopParts } from './develop-parts.ts';
import { type DevelopTerms, readTerms } from './develop-terms.ts';
import { type HiddenCriteria, loadHidden } from './hidden-criteria.ts';
import { loadTree, lookAtTrees, type TreeDigests } from './look-at-trees.ts';
import { writePatch } from './patch/write-patch.ts';
import { digestsIn } from './read-outputs.ts';
import { planTasks } from './task-plan.ts';
import { placeTree } from './tree/place-tree.ts';
import type { CriterionResult, PatchFacts, VerifyEvidence } from './verify-evidence.ts';

/** Holds the candidate to every criterion, each on a copy of what was captured, and makes the patch of that. */
export function verifyAdapter(parts: DevelopParts): VerifyAdapter {
  return {
    ...bindingOf('verify', null),
    kind: 'verify',
    async run(context) {
      const terms = readTerms(context.inputs);
      const planned = planTasks(terms).find(({ taskId }) => taskId === context.taskId);
      const expected = digestsIn(context.outputs, planned?.previous ?? null);
      const looks = { terms, expected };
      const before = await lookOnly(parts, context, { ...looks, key: 'tree/before', step: 0 });
      const hidden = await loadHidden(parts.store, terms);
      const results: CriterionResult[] = [];
      const criteria = [...terms.criteria, ...hidden.criteria];
      // A tree that is not what the last phase left is not judged.
      if (before.violation_count === 0) {
        for (const [index, criterion] of criteria.entries()) {
          const hiddenNumber = index - terms.criteria.length + 1;
          const name = hiddenNumber > 0 ? `hidden-${hiddenNumber}` : criterion.name;
          results.push(
            await holdTo(parts, context, { criterion, name, step: index + 1, expected, hidden }),
          );
        }
      }
      const step = criteria.length + 1;
      const after = await lookOnly(parts, context, { ...looks, key: 'tree/after', step });
      const violations = [...before.violations, ...after.violations].slice(0, MAX_VIOLATIONS);
      const evidence: VerifyEvidence = {
        kind: 'develop_verdict',
        schema_version: '1.0',
        round: planned?.round ?? 0,
        ...expected,
        results,
        violations,
        patch: await keepPatch(parts, context, { terms, expected }),
      };
      const isPassed = violations.length === 0 && results.every(({ passed }) => passed);
      return context.verdict(isPassed ? 'pass' : 'fail', { evidence });
    },
  };
}

function lookOnly(
  parts: DevelopParts,
  context: VerifyContext,
  {
    terms,
    expected,
    key,
    step,
  }: {
    readonly terms: DevelopTerms;
    readonly expected: TreeDigests;
    readonly key: string;
    readonly step: number;
  },
) {
  return lookAtTrees(parts, context, { terms, look: { key, step, expected, allowed: null } });
}

interface Holding {
  readonly criterion: Required<DevelopCriterion>;
  /** Under which name it is recorded. */
  readonly name: string;
  readonly step: number;
  readonly expected: TreeDigests;
  readonly hidden: HiddenCriteria;
}

/** Runs the command of one criterion. One that cannot be run is no verdict: it throws. */
async function holdTo(
  parts: DevelopParts,
  context: VerifyContext,
  holding: Holding,
): Promise<CriterionResult> {
  const { criterion, name, step } = holding;
  const { command, timeout_ms, hidden } = criterion;
  const outcome = await context.perform<CriterionResult>(
    {
      key: `check/${name}`,
      step,
      kind: 'tool',
      effect: 'read',
      repeat: 'safe',
      metered: false,
      // What is hidden stays out of the record, which goes where its goal goes.
      input: hidden
        ? { hidden: name, ...holding.expected }
        : { command, timeout_ms, ...holding.expected },
      describe: `check ${name}`,
    },
    async ({ signal }) => ({ value: await run(parts, context, { ...holding, signal }) }),
  );
  if (outcome.kind !== 'done') {
    throw operationFailed(outcome.kind === 'failed' ? outcome.error : outcome.reason);
  }
  return outcome.value;
}

async function run(
  parts: DevelopParts,
  context: VerifyContext,
  { criterion, name, expected, hidden, signal }: Holding & { readonly signal: AbortSignal },
): Promise<CriterionResult> {
  const home = join(copiesOf(parts, context.goalId), `${context.taskId}-${name}`);
  const { store } = parts;
  try {
    await rm(home, { recursive: true, force: true });
    const directory = join(home, 'candidate');
    await placeTree(await loadTree(parts, expected.candidate_sha256), { directory, store });
    const checks = expected.checks_sha256 === null ? null : join(home, 'checks');
    if (checks !== null && expected.checks_sha256 !== null) {
      await placeTree(await loadTree(parts, expected.checks_sha256), { directory: checks, store });
    }
    const exit = await parts.runCheck({
      argv: criterion.command.map((part) => part.replaceAll('{checks}', checks ?? '{checks}')),
      directory,
      checks,
      timeoutMs: criterion.timeout_ms,
      signal,
    });
    signal.throwIfAborted();
    const text = REDACTOR.text(Buffer.from(exit.output).toString('utf8')).replaceAll(home, '');
    const isPrivate = criterion.hidden || hidden.isToldIn(text);
    const kept = await context.saveArtifact(exit.output, {
      mediaType: 'text/plain',
      maxBytes: exit.output.length,
    });
    return {
      name,
      hidden: criterion.hidden,
      passed: exit.exitCode === 0 && !exit.timedOut,
      exit_code: exit.exitCode,
      timed_out: exit.timedOut,
      boundary: exit.boundary,
      output: isPrivate ? null : text.slice(-MAX_EXCERPT),
      output_sha256: kept.sha256,
    };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function keepPatch(
  parts: DevelopParts,
  context: VerifyContext,
  { terms, expected }: { readonly terms: DevelopTerms; readonly expected: TreeDigests },
): Promise<PatchFacts> {
  const patch = await writePatch(
    await loadTree(parts, terms.candidate.sha256),
    await loadTree(parts, expected.candidate_sha256),
    parts.store,
  );
  const kept = await context.saveArtifact(patch.bytes, {
    mediaType: 'text/x-diff',
    maxBytes: patch.bytes.length,
  });
  return {
    sha256: kept.sha256,
    bytes: patch.bytes.length,
    files: patch.files,
    left_out: patch.leftOut.slice(0, MAX_NAMED),
    in_the_way: patch.inTheWay.slice(0, MAX_NAMED),
  };
}

const REDACTOR: Redactor = createRedactor();
const MAX_EXCERPT = 2048;
const MAX_VIOLATIONS = 200;
const MAX_NAMED = 200;
