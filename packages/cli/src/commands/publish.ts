import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { MillforgeError, sha256 } from '@millforge/contracts';
import type { PublicationView } from '@millforge/kernel/publication';
import type { OptionSpec, ParsedArguments } from '../arguments/parse-arguments.ts';
import { parseDuration } from '../arguments/parse-duration.ts';
import { systemCode, usageError } from '../cli-error.ts';
import { unreadable } from '../documents/read-input-file.ts';
import { EXIT_CHECK_FAILED, exitStatusOf } from '../output/exit-status.ts';
import { writeLine } from '../output/terminal.ts';
import type { RunPublicationName, RunPublications } from '../port/run-publications.ts';
import { parsePlace } from '../publish/parse-place.ts';
import { showPublication } from '../publish/show-publication.ts';
import type { Command, CommandContext } from './command.ts';
import { DATA_OPTION, findData } from './data-place.ts';

const COMMON: Readonly<Record<string, OptionSpec>> = {
  actor: { value: 'NAME', help: 'who acts, for the trail; default user@host' },
  json: { value: null, help: 'the publication as JSON' },
  ...DATA_OPTION,
};

const REACH: Readonly<Record<string, OptionSpec>> = {
  repository: { value: 'DIR', help: 'git repository with the commits, default the current one' },
  'token-env': { value: 'NAME', help: 'environment variable that holds the token of the receiver' },
  timeout: { value: 'TIME', help: 'how long an answer is waited for: 30s, 2m' },
};

/** Says what of a completed run is to be published, and where. */
export const publishIntendCommand: Command = {
  command: 'publish intend',
  positionals: ['RUN'],
  summary: 'say which output of a completed run is to be published, and where',
  example:
    'millforge publish intend run_01hv3k --to git:ssh://host/repo.git#refs/heads/main --policy release --revision v1',
  options: {
    to: { value: 'PLACE', help: 'local:DIR, git:REMOTE#REF or a URL that is posted to' },
    payload: {
      value: 'SHA256|@FILE',
      help: 'an output or artifact of the run, by digest or by a file with its bytes; default its output',
    },
    policy: { value: 'TEXT', help: 'the rule under which it is published' },
    revision: { value: 'TEXT', help: 'what it is a revision of' },
    'status-url': { value: 'URL', help: 'asked what became of it; holds {operation_id}' },
    settle: { value: 'TIME', help: 'time after which the receiver cannot apply it any more' },
    ...COMMON,
  },
  run: (context, args) =>
    within(context, args, async (publications) =>
      publications.intend(args.positionals[0] ?? '', {
        place: parsePlace(args, context.host.cwd),
        policy: needed(args, 'publish intend', 'policy'),
        revision: needed(args, 'publish intend', 'revision'),
        payloadSha256: await payloadOf(args, context.host.cwd),
      }),
    ),
};

/** Approves one intent by its digest. */
export const publishApproveCommand: Command = {
  command: 'publish approve',
  positionals: ['RUN', 'PUBLICATION?'],
  summary: 'approve exactly one intent, by its digest, for one sending',
  example:
    'millforge publish approve run_01hv3k --intent 5f0c… --valid-for 1h --reason "I read it."',
  options: {
    intent: { value: 'SHA256', help: 'digest of the intent, as publish intend and list show it' },
    'valid-for': { value: 'TIME', help: 'how long it is good; default 1h' },
    reason: { value: 'TEXT', help: 'why, for the trail' },
    ...COMMON,
  },
  run: (context, args) =>
    within(context, args, (publications) =>
      publications.approve(nameOf(args), {
        intentSha256: needed(args, 'publish approve', 'intent'),
        validForMs: parseDuration(args.text('valid-for') ?? '1h', '--valid-for'),
        reason: needed(args, 'publish approve', 'reason'),
      }),
    ),
};

/** Takes an unused approval back. */
export const publishRevokeCommand: Command = {
  command: 'publish revoke',
  positionals: ['RUN', 'PUBLICATION?'],
  summary: 'take an unused approval back, or withdraw an intent',
  example: 'millforge publish revoke run_01hv3k --reason "Found a fault."',
  options: { reason: { value: 'TEXT', help: 'why, for the trail' }, ...COMMON },
  run: (context, args) =>
    within(context, args, (publications) =>
      publications.revoke(nameOf(args), { reason: needed(args, 'publish revoke', 'reason') }),
    ),
};

/** Sends what is approved, once. */
export const publishDispatchCommand: Command = {
  command: 'publish dispatch',
  positionals: ['RUN', 'PUBLICATION?'],
  summary: 'send what is approved, once; exit 3 when refused, 7 when nobody knows',
  example: 'millforge publish dispatch run_01hv3k --repository .',
  options: { ...REACH, ...COMMON },
  run: (context, args) =>
    within(context, args, (publications) =>
      publications.dispatch(nameOf(args), reachOf(args, context.host.cwd)),
    ),
};

/** Asks the receiver what became of a sending, or takes a person's word for it. */
export const publishReconcileCommand: Command = {
  command: 'publish reconcile',
  positionals: ['RUN', 'PUBLICATION?'],
  summary: 'ask the receiver what became of a sending, or attest it',
  example: 'millforge publish reconcile run_01hv3k --attest accepted --reason "I see it there."',
  options: {
    attest: { value: 'accepted|rejected', help: 'what a person says, where the receiver cannot' },
    reason: { value: 'TEXT', help: 'for --attest: how the person knows' },
    'even-if-running': { value: null, help: 'for --attest: although the process that sends lives' },
    ...REACH,
    ...COMMON,
  },
  run: (context, args) =>
    within(context, args, (publications) => {
      const outcome = args.text('attest');
      if (outcome === null) {
        if (args.text('reason') !== null) throw usageError('--reason needs --attest.');
        return publications.reconcile(nameOf(args), reachOf(args, context.host.cwd));
      }
      if (outcome !== 'accepted' && outcome !== 'rejected') {
        throw usageError(
          `--attest must be accepted or rejected; it was '${outcome.slice(0, 40)}'.`,
        );
      }
      return publications.attest(nameOf(args), {
        outcome,
        reason: needed(args, 'publish reconcile', 'reason'),
        evenIfRunning: args.has('even-if-running'),
      });
    }),
};

/** Shows how publications stand. */
export const publishListCommand: Command = {
  command: 'publish list',
  positionals: ['RUN?'],
  summary: 'show the publications of a run, or of the latest runs',
  example: 'millforge publish list run_01hv3k',
  options: { json: { value: null, help: 'JSON Lines instead of text' }, ...DATA_OPTION },
  async run({ host, createMillforge }, args) {
    const data = await findData(host, args);
    await using millforge = createMillforge({ dataDir: data.directory, env: host.env });
    const publications = await millforge.publications();
    const found = await publications.list(args.positionals[0] ?? null);
    const isJson = args.has('json');
    for (const view of found) showPublication(host, view, { isJson, dataFlag: data.flag });
    if (found.length === 0 && !isJson) writeLine(host.stdout, 'Nothing is to be published here.');
    return 0;
  },
};

async function within(
  { host, createMillforge }: CommandContext,
  args: ParsedArguments,
  act: (publications: RunPublications) => Promise<PublicationView>,
): Promise<number> {
  const data = await findData(host, args);
  const actor = args.text('actor');
  await using millforge = createMillforge({
    dataDir: data.directory,
    env: host.env,
    ...(actor === null ? {} : { actor }),
  });
  const publications = await millforge.publications();
  const view = await act(publications).catch((error: unknown) => {
    if (MillforgeError.is(error, 'kernel/not-found')) throw noPublication(args, data.flag);
    if (MillforgeError.is(error, 'kernel/payload-refused')) throw notTaken(args, error);
    if (MillforgeError.is(error, 'kernel/publisher-not-ready')) throw notReady(error);
    if (MillforgeError.is(error, 'kernel/not-an-output')) throw noOutput(args, error);
    throw error;
  });
  const reach = { repository: args.text('repository'), tokenEnv: args.text('token-env') };
  showPublication(host, view, { isJson: args.has('json'), dataFlag: data.flag, reach });
  return statusOf(view);
}

function noPublication({ positionals }: ParsedArguments, dataFlag: string): Error {
  const [runId = '', publicationId] = positionals;
  return usageError(
    `${runId.slice(0, 128)} has no publication${publicationId === undefined ? '' : ` ${publicationId.slice(0, 128)}`} here; 'millforge publish list${dataFlag}' shows what there is.`,
  );
}

/** Says also how another payload is named, where one is needed. */
function notTaken(args: ParsedArguments, error: MillforgeError): Error {
  const isGit = args.text('to')?.startsWith('git:') === true;
  const taken = args.text('payload') === null ? ', which is the output of the run' : '';
  const advice = isGit ? `${taken}; name what the run wrote for it with --payload @FILE` : '';
  return usageError(`${error.message} Nothing is intended${advice}.`, error);
}

/** What this machine lacks is no answer of the receiver: the same command may be given again. */
function notReady(error: MillforgeError): Error {
  const { details } = error;
  const isGit =
    typeof details === 'object' &&
    details !== null &&
    !Array.isArray(details) &&
    Object.entries(details).some(([name, value]) => name === 'publisher' && value === 'git');
  return usageError(
    `${error.message}${isGit ? ' The checkout that has the commits is named with --repository DIR.' : ''}`,
    error,
  );
}

/** Says also what makes something that can be published, where somebody named a file. */
function noOutput(args: ParsedArguments, error: MillforgeError): Error {
  if (args.text('payload')?.startsWith('@') !== true) return error;
  return usageError(
    `${error.message} A file that a run wrote into its workspace is none of them: a tool builtin.artifact.write_… makes an artifact.`,
    error,
  );
}

/** What was sent and has no known end waits for a person; what the receiver does not have is a no. */
function statusOf({ state, operation }: PublicationView): number {
  if (state === 'unknown' || state === 'sending') return exitStatusOf('held');
  return state === 'rejected' && operation !== null ? EXIT_CHECK_FAILED : 0;
}

function nameOf(args: ParsedArguments): RunPublicationName {
  return { runId: args.positionals[0] ?? '', publicationId: args.positionals[1] ?? null };
}

function reachOf(args: ParsedArguments, cwd: string) {
  const timeout = args.text('timeout');
  return {
    repository: resolve(cwd, args.text('repository') ?? '.'),
    tokenEnv: args.text('token-env'),
    ...(timeout === null ? {} : { timeoutMs: parseDuration(timeout, '--timeout') }),
  };
}

function needed(args: ParsedArguments, command: string, option: string): string {
  const value = args.text(option);
  if (value !== null) return value;
  throw usageError(`'millforge ${command}' needs --${option}; see 'millforge ${command} --help'.`);
}

async function payloadOf(args: ParsedArguments, cwd: string): Promise<string | null> {
  const given = args.text('payload');
  if (given === null) return given;
  if (!given.startsWith('@')) {
    if (SHA256.test(given)) return given;
    throw usageError(
      `--payload takes a SHA-256 in 64 lower-case hexadecimal digits, or @FILE; it was '${given.slice(0, 40)}'.`,
    );
  }
  const path = resolve(cwd, given.slice(1));
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of createReadStream(path)) chunks.push(Buffer.from(chunk));
    return sha256(Buffer.concat(chunks));
  } catch (cause) {
    if (systemCode(cause) === null) throw cause;
    throw unreadable({ path, what: 'payload' }, cause);
  }
}

const SHA256 = /^[0-9a-f]{64}$/;
