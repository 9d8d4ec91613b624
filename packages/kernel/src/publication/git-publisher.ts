import type { GitHost } from './git-process.ts';
import { type GitUpdate, isRefName, readGitUpdate } from './git-update.ts';
import type { InspectRequest, PublishAnswer, Publisher } from './publisher.ts';
import { openScratch, type ScratchRepository } from './scratch-repository.ts';

/** What a git publisher is made of. */
export interface GitPublisherOptions {
  /** Repository that holds the commits; only its objects are read. */
  readonly repository: string;
  /** Address that is pushed to, without user name and password. */
  readonly remote: string;
  /** The one ref, with its whole name. */
  readonly ref: string;
  /** Environment of the host, for paths, proxies and agents of keys. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Wall time in milliseconds. */
  readonly now: () => number;
  /** Whether the ref may go to a commit that does not contain the old one. Default false. */
  readonly allowsRewriting?: boolean;
  /**
   * Milliseconds after which a push that was cut off cannot arrive any more. Default null: a ref that is still where it was
   * says nothing until a person attests. Counted from when the process that pushed was gone, although git itself may have gone on.
   */
  readonly settleMs?: number | null;
  /** The program; default `git`. */
  readonly git?: string;
}

/**
 * Pushes one ref from the commit that was approved to the next; its payload is a {@link GitUpdate}.
 *
 * The remote exchanges the old commit for the new one in one step, so that a push takes effect at most once whenever it arrives. No
 * configuration and no hook of the repository is read, and none of the folder that the process is in.
 */
export function gitPublisher(options: GitPublisherOptions): Publisher {
  const { remote, ref, env, git = 'git', settleMs = null } = options;
  const host: GitHost = { git, env };
  return {
    name: 'git',
    target: `${remote}#${ref}`,
    settleMs,
    checkPayload(payload) {
      const update = updateFor(payload, ref);
      return 'problem' in update ? `${update.problem}; it takes ${formOf(ref)}` : null;
    },
    async ready({ bytes, signal }) {
      const update = updateFor({ bytes }, ref);
      // What is wrong with the payload is wrong on every machine.
      if ('problem' in update) return null;
      await using scratch = await openFor(options, host, { update, signal });
      const problem =
        'problem' in scratch ? scratch.problem : await findMissing(scratch, update, options);
      // A git that was told to end has found nothing out.
      signal.throwIfAborted();
      return problem;
    },
    async publish(request) {
      const update = updateFor(request, ref);
      if ('problem' in update) return notSent(update.problem);
      await using scratch = await openFor(options, host, { update, signal: request.signal });
      if ('problem' in scratch) return notSent(scratch.problem);
      const problem = await checkHistory(scratch, update, options);
      if (problem !== null) return notSent(problem);
      // Looking took its own time.
      if (options.now() >= request.sendByMs) return notSent('its time was over');
      return await push(scratch, update, { remote, operationId: request.operationId });
    },
    async inspect(request) {
      const update = updateFor(request, ref);
      if ('problem' in update) return { kind: 'unknown' };
      const { signal, operationId } = request;
      // Not in the folder that this process is in: its repository may name programs and other addresses.
      const empty = { repository: null, objectName: update.new, signal };
      await using scratch = await openScratch(host, empty);
      const listed = await scratch.run(['ls-remote', '--refs', '--', remote, ref]);
      if (listed.status !== 0) return { kind: 'unknown' };
      const current = refIn(listed.stdout, ref);
      const evidence = { ref, now: current };
      if (current === update.new) return { kind: 'found', operationId, evidence };
      if (current === update.old) return { kind: 'absent', isFinal: false, evidence };
      // A ref that is gone cannot be exchanged for the new commit, unless it was not to exist.
      if (current === null) return { kind: 'absent', isFinal: true, evidence };
      const isPast = await contains(options, host, { update, current, signal });
      if (isPast === null) return { kind: 'unknown', evidence };
      return isPast
        ? { kind: 'found', operationId, evidence }
        : { kind: 'absent', isFinal: true, evidence };
    },
  };
}

type Problem = { readonly problem: string };

function updateFor({ bytes }: Pick<InspectRequest, 'bytes'>, ref: string): GitUpdate | Problem {
  const update = readGitUpdate(bytes);
  if ('problem' in update) return update;
  if (!isRefName(ref) || update.ref !== ref)
    return { problem: `the payload is about ${update.ref}` };
  return update;
}

/** The document that a task has to give, or to save, for a ref. */
function formOf(ref: string): string {
  return `{"kind":"git_update","schema_version":"1.0","ref":${JSON.stringify(ref)},"old":…,"new":…} with whole names of commits, old null for a ref to be made`;
}

/** Nothing has left this machine, so whatever is wrong is a definite end. */
function notSent(problem: string): PublishAnswer {
  return { kind: 'not-sent', message: `${problem}.` };
}

async function openFor(
  { repository }: GitPublisherOptions,
  host: GitHost,
  { update, signal }: { readonly update: GitUpdate; readonly signal: AbortSignal },
): Promise<ScratchRepository | (Problem & AsyncDisposable)> {
  try {
    return await openScratch(host, { repository, objectName: update.new, signal });
  } catch (error) {
    return { problem: whyUnread(error, { repository, git: host.git }), ...NOTHING_TO_FREE };
  }
}

/** Git without a program is no matter of the repository; for the rest, git itself says what is wrong with it. */
function whyUnread(
  error: unknown,
  { repository, git }: { readonly repository: string; readonly git: string },
): string {
  const said = error instanceof Error ? error.message : 'it cannot be read';
  if (!(error instanceof Error) || !('syscall' in error)) {
    return `${repository} cannot be read as the repository that has the commit (${said})`;
  }
  return error.syscall === `spawn ${git}`
    ? `the program ${git} could not be started (${said}); it has to be installed, and in PATH`
    : `there is no folder to work in (${said})`;
}

/** What this machine does not have of a change. */
async function findMissing(
  scratch: ScratchRepository,
  { new: next, old }: GitUpdate,
  { repository, allowsRewriting = false }: GitPublisherOptions,
): Promise<string | null> {
  for (const commit of old === null || allowsRewriting ? [next] : [next, old]) {
    const { status } = await scratch.run(['cat-file', '-e', `${commit}^{commit}`]);
    if (status !== 0) return `the commit ${commit} is not in the repository ${repository}`;
  }
  return null;
}

async function checkHistory(
  scratch: ScratchRepository,
  update: GitUpdate,
  options: GitPublisherOptions,
): Promise<string | null> {
  const missing = await findMissing(scratch, update, options);
  if (missing !== null || update.old === null || options.allowsRewriting === true) return missing;
  const { status } = await scratch.run(['merge-base', '--is-ancestor', update.old, update.new]);
  return status === 0 ? null : 'the new commit does not contain the old one';
}

/** One exchange of the old value for the new one; whatever is no clear answer throws, and is unknown then. */
async function push(
  scratch: ScratchRepository,
  { ref, old, new: next }: GitUpdate,
  { remote, operationId }: { readonly remote: string; readonly operationId: string },
): Promise<PublishAnswer> {
  const { status, stdout, stderr } = await scratch.run([
    'push',
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    '--recurse-submodules=no',
    `--force-with-lease=${ref}:${old ?? ''}`,
    '--',
    remote,
    `${next}:${ref}`,
  ]);
  const line = stdout.split('\n').find((one) => one.split('\t')[1] === `${next}:${ref}`);
  const [flag = '', , summary = ''] = line?.split('\t') ?? [];
  if (status === 0 && [' ', '*', '+', '='].includes(flag)) {
    return { kind: 'acknowledged', operationId, evidence: { ref, summary } };
  }
  // These two are said by whoever decides: this side before anything is sent, or the remote after it looked.
  if (flag === '!' && /^\[(?:remote )?rejected\]/.test(summary)) {
    return { kind: 'refused', message: `${ref}: ${summary}.`, evidence: { ref, summary } };
  }
  throw new Error(stderr.trim().split('\n').at(-1) ?? 'git ended without an answer');
}

/** Whether the commit at which a ref stands contains the new one; null where that cannot be told. */
async function contains(
  { repository, remote, ref }: GitPublisherOptions,
  host: GitHost,
  {
    update,
    current,
    signal,
  }: { readonly update: GitUpdate; readonly current: string; readonly signal: AbortSignal },
): Promise<boolean | null> {
  await using scratch = await openScratch(host, { repository, objectName: current, signal });
  const fetched = await scratch.run([
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-recurse-submodules',
    '--',
    remote,
    `+${ref}:refs/inspected`,
  ]);
  if (fetched.status !== 0) return null;
  // It may have moved since it was listed, also to where the push would still fit.
  const inspected = await scratch.run(['rev-parse', '--verify', 'refs/inspected']);
  if (inspected.stdout.trim() !== current) return null;
  const { status } = await scratch.run([
    'merge-base',
    '--is-ancestor',
    update.new,
    'refs/inspected',
  ]);
  return status === 0 ? true : status === 1 ? false : null;
}

const NOTHING_TO_FREE = { [Symbol.asyncDispose]: async (): Promise<void> => undefined };

function refIn(listed: string, ref: string): string | null {
  for (const line of listed.split('\n')) {
    const [name = '', found = ''] = line.split('\t');
    if (found === ref) return name;
  }
  return null;
}
