import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type {
  PublicationPlace,
  PublisherReach,
  RunPublicationName,
  RunPublications,
} from '@millforge/cli';
import { type Clock, digest, type Ids, type JsonValue, unreachable } from '@millforge/contracts';
import type { GoalView, Kernel, Scope } from '@millforge/kernel';
import {
  createPublications,
  gitPublisher,
  httpPublisher,
  localPublisher,
  type PublicationName,
  type Publications,
  type PublicationView,
  type Publisher,
} from '@millforge/kernel/publication';
import { millforgeError } from '../millforge-error.ts';
import { toAction, toPlace } from './publication-place.ts';

/** What publications of runs stand on. */
export interface PublicationParts {
  /** The open trail. */
  readonly kernel: Kernel;
  /** On whose behalf. */
  readonly scope: Scope;
  /** Rejects, with the reason, where the trail can only be looked at. */
  readonly assertWritable: () => Promise<unknown>;
  /** Reads a run; throws for one that is not there. */
  readonly readRun: (runId: string) => Promise<GoalView>;
  /** Time. */
  readonly clock: Clock;
  /** Source of fresh names. */
  readonly ids: Ids;
  /** Environment in which git is run and keys are looked up by name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Does the requests. */
  readonly fetch: typeof globalThis.fetch;
}

/** Wires the publications of a kernel with the publishers that ship. */
export function openRunPublications(parts: PublicationParts): RunPublications {
  const { kernel, scope, readRun } = parts;
  const publications = createPublications(kernel);

  /** Finds what is to be changed. */
  const find = async (name: RunPublicationName): Promise<PublicationName> => {
    await parts.assertWritable();
    await readRun(name.runId);
    if (name.publicationId !== null)
      return { goalId: name.runId, publicationId: name.publicationId };
    return { goalId: name.runId, publicationId: await onlyOpen(publications, scope, name.runId) };
  };
  const publisherOf = async (name: PublicationName, reach: PublisherReach): Promise<Publisher> => {
    const { intent } = await publications.read(scope, name);
    return openPublisher(parts, toPlace(intent.action), reach);
  };

  return {
    async intend(runId, { place, payloadSha256, policy, revision }) {
      await parts.assertWritable();
      const run = await readRun(runId);
      return publications.intend(scope, runId, {
        policy,
        revision,
        action: toAction(place),
        payloadSha256: payloadSha256 ?? digest(lastOutput(run)),
        checkedBy: openPublisher(parts, place, LOOKING),
      });
    },
    async approve(name, approval) {
      return publications.approve(scope, await find(name), approval);
    },
    async revoke(name, revocation) {
      return publications.revoke(scope, await find(name), revocation);
    },
    async dispatch(name, reach) {
      const found = await find(name);
      const publisher = await publisherOf(found, reach);
      if (publisher.name === 'local') assertParent(publisher.target);
      return publications.dispatch(scope, found, {
        publisher,
        // Whoever can open the data directory may approve; there is nobody else to ask.
        confirmApprover: () => true,
        ...(reach.timeoutMs === undefined ? {} : { timeoutMs: reach.timeoutMs }),
      });
    },
    async reconcile(name, reach) {
      const found = await find(name);
      const publisher = await publisherOf(found, reach);
      return publications.reconcile(scope, found, {
        publisher,
        ...(reach.timeoutMs === undefined ? {} : { timeoutMs: reach.timeoutMs }),
      });
    },
    async attest(name, attestation) {
      const found = await find(name);
      const { version } = await publications.read(scope, found);
      return publications.attest(scope, found, { ...attestation, version });
    },
    async list(runId) {
      if (runId !== null) {
        await readRun(runId);
        return publications.list(scope, runId);
      }
      const goals = await kernel.listGoals(scope);
      const lists = await Promise.all(
        goals.map(({ goal_id }) => publications.list(scope, goal_id)),
      );
      return lists.flat();
    },
  };
}

/** The publication that is meant where a run has one that has not ended. */
async function onlyOpen(publications: Publications, scope: Scope, runId: string): Promise<string> {
  const all = await publications.list(scope, runId);
  const open = all.filter(({ state }) => OPEN.has(state));
  const [only] = open;
  if (only !== undefined && open.length === 1) return only.publication_id;
  throw millforgeError(
    'millforge/usage',
    open.length === 0
      ? `The run ${runId} has no publication that is open${known(all)}.`
      : `Several publications of ${runId} are open; name one of ${open.map((one) => one.publication_id).join(', ')}.`,
  );
}

function known(all: readonly PublicationView[]): string {
  if (all.length === 0) return "; 'millforge publish intend' makes one";
  return `: ${all.map(({ publication_id, state }) => `${publication_id} is ${state}`).join(', ')}`;
}

/** What the last completed task gave. */
function lastOutput({ goal_id, tasks }: GoalView): JsonValue {
  const task = tasks.findLast(({ state, output }) => state === 'completed' && output !== null);
  if (task !== undefined) return task.output;
  throw millforgeError(
    'millforge/usage',
    `No task of ${goal_id} gave anything that could be published; only a run that completed has an output.`,
  );
}

function openPublisher(
  { clock, ids, env, fetch }: PublicationParts,
  place: PublicationPlace,
  reach: PublisherReach,
): Publisher {
  const now = (): number => clock.now();
  switch (place.kind) {
    case 'local':
      return localPublisher({ directory: place.directory, ids, now });
    case 'git': {
      const { remote, ref, settleMs } = place;
      return gitPublisher({ repository: reach.repository, remote, ref, settleMs, env, now });
    }
    case 'http': {
      const { url, statusUrl, settleMs } = place;
      const token = tokenOf(env, reach.tokenEnv);
      return httpPublisher({
        url,
        settleMs,
        fetch,
        now,
        ...(token === null ? {} : { headers: () => ({ authorization: `Bearer ${token}` }) }),
        ...(statusUrl === null
          ? {}
          : { statusUrl: (id) => statusUrl.replaceAll('{operation_id}', id) }),
      });
    }
    default:
      return unreachable(place, 'place of a publication');
  }
}

/** A receiver is made in a folder that is there; another was moved, or never meant. */
function assertParent(directory: string): void {
  if (existsSync(dirname(directory))) return;
  throw millforgeError(
    'millforge/usage',
    `The publication goes to ${directory}, but there is no ${dirname(directory)}; nothing was sent.`,
  );
}

function tokenOf(env: PublicationParts['env'], name: string | null): string | null {
  if (name === null) return null;
  const token = env[name];
  if (token !== undefined && token !== '') return token;
  throw millforgeError(
    'millforge/key-missing',
    `The variable ${name} is empty; set it to the token of the receiver.`,
  );
}

/** Who only looks at a payload needs neither the commits nor a key. */
const LOOKING: PublisherReach = { repository: '.', tokenEnv: null };
const OPEN: ReadonlySet<string> = new Set(['intended', 'approved', 'sending', 'unknown']);
