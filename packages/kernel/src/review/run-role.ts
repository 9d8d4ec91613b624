import { type Clock, canonicalJson, type JsonValue, MillforgeError } from '@millforge/contracts';
import type { TaskContext } from '../adapter.ts';
import { plainOf } from './review-document.ts';
import type { CapturedTree, ReviewRole, RoleAnswer, RoleCoverage } from './review-role.ts';
import type { ReviewProposal } from './role-proposal.ts';

/** Lets a role look, and brings whatever comes of it into form: a role that fails is a gap, not an error. */
export async function runRole(
  role: ReviewRole,
  parts: { tree: CapturedTree; context: TaskContext; clock: Clock },
): Promise<ReviewProposal> {
  const { tree, context } = parts;
  const ending = new AbortController();
  try {
    const proposing = role.propose({
      tree,
      perform: (operation, act) => context.perform(operation, act),
      signal: context.signal,
    });
    // Whoever is not waited for any more may still fail.
    proposing.catch(() => undefined);
    const answer = await Promise.race([proposing, tooLate(parts, ending.signal)]);
    return proposalOf(role, tree, answer);
  } catch (error) {
    if (MillforgeError.is(error, 'operation/suspended')) throw error;
    return proposalOf(role, tree, { findings: [], coverage: [], failure: failureOf(error) });
  } finally {
    ending.abort();
  }
}

function proposalOf(role: ReviewRole, tree: CapturedTree, answer: RoleAnswer): ReviewProposal {
  const kept = keptOf(answer.findings);
  const { failure } = answer;
  return {
    kind: 'review_proposal',
    schema_version: '1.0',
    role: role.role,
    origin: role.origin,
    findings: kept.map((proposed, index) => ({
      finding_id: `${role.role}/${index + 1}`,
      role: role.role,
      origin: role.origin,
      proposed,
    })),
    is_cut: kept.length < answer.findings.length,
    coverage: coverageOf(tree, answer.coverage),
    failure: failure === null ? null : { code: failure.code, message: failure.message },
  };
}

/** Operations are refused from the deadline on; a role that goes on all the same is left behind. */
async function tooLate(
  { context, clock }: { context: TaskContext; clock: Clock },
  signal: AbortSignal,
): Promise<never> {
  await clock.delay(Math.max(0, context.deadline - clock.now()) + DEADLINE_GRACE_MS, signal);
  throw new MillforgeError('review/role-timeout', 'The time of the role was used up.');
}

function failureOf(error: unknown): NonNullable<RoleAnswer['failure']> {
  const code = MillforgeError.is(error) ? error.code : 'role-threw';
  const message = error instanceof Error ? error.message : 'It threw something that is no error.';
  return { code, message: message.slice(0, MOST_MESSAGE) };
}

/** One entry for each captured file: what a role does not tell of, nobody knows it looked at. */
function coverageOf(
  { files }: CapturedTree,
  told: readonly RoleCoverage[],
): readonly RoleCoverage[] {
  // What is none of the states says nothing, and nothing is not everything.
  const byPath = new Map(told.filter(isKnownState).map((entry) => [entry.path, entry]));
  return files.map(({ path }) => byPath.get(path) ?? { state: 'none', path, reason: 'not-told' });
}

function isKnownState({ state }: RoleCoverage): boolean {
  return state === 'whole' || state === 'truncated' || state === 'none';
}

/** As many of the findings as are kept, in their order. */
function keptOf(findings: readonly unknown[]): readonly JsonValue[] {
  const kept: JsonValue[] = [];
  let room = MOST_BYTES;
  for (const finding of findings.slice(0, MOST_FINDINGS)) {
    const plain = plainOf(finding ?? null);
    room -= canonicalJson(plain).length;
    if (room < 0) break;
    kept.push(plain);
  }
  return kept;
}

const MOST_FINDINGS = 200;
// Every later step has the findings of all roles in one document.
const MOST_BYTES = 1_048_576;
const MOST_MESSAGE = 1000;
const DEADLINE_GRACE_MS = 500;
