import { resolve } from 'node:path';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { parseDuration } from '../arguments/parse-duration.ts';
import { usageError } from '../cli-error.ts';
import { reviewModel } from '../documents/review-model.ts';
import type { ReviewEvent, ReviewHandle, ReviewOutcome } from '../millforge-port.ts';
import { EXIT_CHECK_FAILED, exitStatusOf } from '../output/exit-status.ts';
import { type CliHost, printable, writeJsonLine, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS, readConfiguration } from './configured.ts';
import { placeOf } from './data-place.ts';

/** Reviews a commit, and shows which findings quote it truly. */
export const reviewCommand: Command = {
  command: 'review',
  positionals: ['COMMIT?'],
  summary: 'review a commit: findings with proved quotes, and every gap; exit 3 when there is one',
  example: 'millforge review HEAD --since main --model http://127.0.0.1:11434/v1#qwen3:8b',
  options: {
    workspace: { value: 'DIR', help: 'git repository or folder, default the current one' },
    tree: { value: null, help: 'review the folder as it stands instead of a commit' },
    since: { value: 'COMMIT', help: 'only what was added or changed since then' },
    path: { value: 'PATH', isRepeatable: true, help: 'file or folder to look at; default all' },
    role: {
      value: 'ROLE',
      isRepeatable: true,
      help: 'who looks: correctness, security, tests; default all three',
    },
    model: { value: 'REF', help: 'profile id, URL#MODEL or scripted:FILE' },
    rules: { value: null, help: 'ask no model: look with the few rules that ship' },
    'api-key-env': { value: 'NAME', help: "environment variable that holds the server's key" },
    proxy: { value: 'URL', help: 'proxy for a model server that is not this machine' },
    'no-proxy': { value: null, help: 'use no proxy, whatever the configuration names' },
    timeout: { value: 'TIME', help: 'time that one role may work: 90s, 30m, 2h; default 30m' },
    format: { value: 'markdown|json|sarif', help: 'form of the report; default markdown' },
    resume: { value: 'REVIEW', help: 'go on with a review that was interrupted' },
    actor: { value: 'NAME', help: 'who acts, for the trail; default user@host' },
    json: { value: null, help: 'events and result as JSON Lines' },
    ...CONFIG_OPTIONS,
  },
  async run({ host, createMillforge }, args) {
    const form = formOf(args);
    const resumed = args.text('resume');
    if (resumed !== null) assertResumeOptions(args);
    if (args.has('tree') && (args.positionals.length > 0 || args.text('since') !== null)) {
      throw usageError('--tree reviews the folder as it stands; name no commit.');
    }
    const timeout = args.text('timeout');
    const timeoutMs = timeout === null ? null : parseDuration(timeout, '--timeout');
    const repository = resolve(host.cwd, args.text('workspace') ?? '.');
    const config = await readConfiguration(host, args, repository);
    if (args.has('rules') && args.text('model') !== null) {
      throw usageError('--rules and --model contradict each other; give one.');
    }
    const model =
      args.has('rules') || resumed !== null ? null : await reviewModel(config, host.env);
    const actor = args.text('actor');
    await using millforge = createMillforge({
      dataDir: config.dataDirectory,
      env: host.env,
      ...(actor === null ? {} : { actor }),
    });
    const { flag } = await placeOf(host, args, config.dataDirectory);
    const [since, paths, roles] = [args.text('since'), args.list('path'), args.list('role')];
    return watchReview(host, { form, dataFlag: flag }, ({ onEvent, onWaiting }) =>
      resumed === null
        ? millforge.review({
            repository,
            commit: args.has('tree') ? null : (args.positionals[0] ?? 'HEAD'),
            model,
            onEvent,
            ...(since === null ? {} : { since }),
            ...(paths.length === 0 ? {} : { paths }),
            ...(roles.length === 0 ? {} : { roles }),
            ...(timeoutMs === null ? {} : { timeoutMs }),
          })
        : millforge.resumeReview(resumed, { onEvent, onWaiting }),
    );
  },
};

type Form = 'markdown' | 'json' | 'sarif' | 'lines';

/** Starts a review, tells of it on stderr, and prints its report. Ctrl-C suspends it, a second one at once. */
async function watchReview(
  host: CliHost,
  view: { readonly form: Form; readonly dataFlag: string },
  start: (listeners: {
    readonly onEvent: (event: ReviewEvent) => void;
    readonly onWaiting: (owner: string) => void;
  }) => Promise<ReviewHandle>,
): Promise<number> {
  let interrupts = 0;
  let handle: ReviewHandle | null = null;
  const note = (line: string): void => writeLine(host.stderr, line);
  const stopListening = host.onInterrupt(() => {
    interrupts += 1;
    if (interrupts === 1) note('Suspending after the current request; Ctrl-C again suspends now.');
    handle?.stop({ now: interrupts > 1 });
  });
  try {
    handle = await start({
      onEvent(event) {
        note(sentenceOf(event));
        if (view.form === 'lines') writeJsonLine(host.stdout, event);
      },
      onWaiting(owner) {
        note(`The review is held by ${owner}; waiting until it has been silent long enough.`);
      },
    });
    // The name of the review comes early: whoever kills this process needs it to go on.
    note(`review ${handle.reviewId}`);
    if (view.form === 'lines') {
      writeJsonLine(host.stdout, { type: 'review-started', review_id: handle.reviewId });
    }
    if (interrupts > 0) handle.stop({ now: interrupts > 1 });
    const outcome = await handle.result;
    showOutcome(host, view, outcome);
    return statusOf(outcome);
  } finally {
    stopListening();
  }
}

function showOutcome(
  host: CliHost,
  { form, dataFlag }: { readonly form: Form; readonly dataFlag: string },
  outcome: ReviewOutcome,
): void {
  const { reviewId, report, status } = outcome;
  if (form === 'lines') {
    writeJsonLine(host.stdout, {
      kind: 'review_result',
      schema_version: '1.0',
      review_id: reviewId,
      status,
      failure_class: outcome.failureClass,
      failure_message: outcome.message,
      report,
      trail_path: outcome.trailPath,
    });
  } else if (report !== null) {
    if (form === 'json') writeJsonLine(host.stdout, report);
    else
      host.stdout.write(form === 'sarif' ? outcome.render(form) : printable(outcome.render(form)));
  }
  if (report !== null) return;
  const why = outcome.message ?? `The review is ${status}.`;
  writeLine(host.stderr, why);
  if (!ENDED.has(status) || outcome.failureClass === 'model_unavailable') {
    writeLine(host.stderr, `Go on with: millforge review --resume ${reviewId}${dataFlag}`);
  }
}

function statusOf({ status }: ReviewOutcome): number {
  if (status === 'complete') return 0;
  return status === 'partial' ? EXIT_CHECK_FAILED : exitStatusOf(status);
}

function sentenceOf(event: ReviewEvent): string {
  if (event.type === 'role-started') return `${event.role} looks`;
  return `${event.role} proposed ${event.proposed} ${event.proposed === 1 ? 'finding' : 'findings'}`;
}

function formOf(args: ParsedArguments): Form {
  const format = args.text('format');
  if (args.has('json')) {
    if (format === null) return 'lines';
    throw usageError(
      '--json and --format contradict each other; --format json is the report alone.',
    );
  }
  if (format === null || format === 'markdown') return 'markdown';
  if (format === 'json' || format === 'sarif') return format;
  throw usageError(`--format must be markdown, json or sarif; it was '${format.slice(0, 40)}'.`);
}

/** What was asked for stands in the trail, and cannot be asked for otherwise in the middle. */
function assertResumeOptions(args: ParsedArguments): void {
  const given = ['since', 'model', 'timeout', 'workspace'].filter(
    (name) => args.text(name) !== null,
  );
  const lists = ['path', 'role'].filter((name) => args.list(name).length > 0);
  const [first] = [...given, ...lists, ...['rules', 'tree'].filter((name) => args.has(name))];
  if (args.positionals.length > 0) {
    throw usageError('--resume goes on with the commit of the review; give no other one.');
  }
  if (first !== undefined) {
    throw usageError(`--resume goes on with what was asked for; leave --${first} away.`);
  }
}

const ENDED: ReadonlySet<string> = new Set(['failed', 'cancelled']);
