import { resolve } from 'node:path';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { parseDuration } from '../arguments/parse-duration.ts';
import { usageError } from '../cli-error.ts';
import { tellEnvironmentProxy } from '../documents/model-setting.ts';
import { reviewModel } from '../documents/review-model.ts';
import { ownName } from '../output/own-name.ts';
import { writeLine } from '../output/terminal.ts';
import { otherKind } from '../output/ways-on.ts';
import type { DecisionRequest } from '../port/decision-request.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS, readConfiguration } from './configured.ts';
import { placeOf } from './data-place.ts';
import { type ReviewForm, watchReview } from './watch-review.ts';

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
    proxy: {
      value: 'URL|environment',
      help: 'proxy for a model server that is not this machine, or what https_proxy and no_proxy say',
    },
    'no-proxy': { value: null, help: 'use no proxy, whatever the configuration names' },
    timeout: { value: 'TIME', help: 'time that one role may work: 90s, 30m, 2h; default 30m' },
    format: { value: 'markdown|json|sarif', help: 'form of the report; default markdown' },
    'sign-off': { value: null, help: 'wait at the end for a person, who approves or denies' },
    resume: { value: 'REVIEW', help: 'go on with a review that was interrupted or waits' },
    decide: { value: 'approve|deny|retry|cancel', help: 'answer what a review waits for' },
    hold: { value: 'ID', help: 'the hold, where several are open' },
    reason: { value: 'TEXT', help: 'why, for the trail' },
    actor: { value: 'NAME', help: 'who acts, for the trail; default user@host' },
    json: { value: null, help: 'events and result as JSON Lines' },
    ...CONFIG_OPTIONS,
  },
  async run({ host, createMillforge }, args) {
    const form = formOf(args);
    const resumed = args.text('resume');
    if (resumed !== null) assertResumeOptions(args);
    const decision = decisionOf(args, resumed);
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
    const model = args.has('rules') || resumed !== null ? null : await reviewModel(config, host);
    if (model === null && resumed === null && !args.has('rules')) {
      writeLine(
        host.stderr,
        'No model is named, so only the few rules that ship look; --model names one, --rules says that this is meant.',
      );
    }
    const actor = args.text('actor');
    await using millforge = createMillforge({
      dataDir: config.dataDirectory,
      env: host.env,
      ...(actor === null ? {} : { actor }),
    });
    const { flag } = await placeOf(host, args, config.dataDirectory);
    if (resumed !== null) {
      const kind = await millforge.goalKind(resumed);
      // Before a decision, which stands once it is taken.
      if (kind !== 'review') {
        throw usageError(
          otherKind(kind, { goalId: resumed, dataFlag: flag, program: ownName(host.env) }),
        );
      }
    }
    if (resumed !== null && decision !== null) {
      await millforge.decide(resumed, { ...decision, resumes: true });
      writeLine(host.stderr, `Decided: ${decision.decision}.`);
    }
    const [since, paths, roles] = [args.text('since'), args.list('path'), args.list('role')];
    return await watchReview(host, { form, dataFlag: flag }, ({ onEvent, onWaiting }) =>
      resumed === null
        ? millforge.review({
            repository,
            commit: args.has('tree') ? null : (args.positionals[0] ?? 'HEAD'),
            model,
            onEvent,
            signOff: args.has('sign-off'),
            ...(since === null ? {} : { since }),
            ...(paths.length === 0 ? {} : { paths }),
            ...(roles.length === 0 ? {} : { roles }),
            ...(timeoutMs === null ? {} : { timeoutMs }),
          })
        : millforge.resumeReview(resumed, {
            onEvent,
            onWaiting,
            onModel: (kept) => tellEnvironmentProxy(kept, host),
          }),
    );
  },
};

function formOf(args: ParsedArguments): ReviewForm {
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

function decisionOf(args: ParsedArguments, resumed: string | null): DecisionRequest | null {
  const [given, reason] = [args.text('decide'), args.text('reason')];
  if (given === null) {
    const orphan = ['hold', 'reason'].find((name) => args.text(name) !== null);
    if (orphan !== undefined) throw usageError(`--${orphan} needs --decide.`);
    return null;
  }
  if (resumed === null) throw usageError('--decide needs --resume: say which review is meant.');
  const decision = DECISIONS.find((one) => one === given);
  if (decision === undefined) {
    throw usageError(`--decide must be ${DECISIONS.join(', ')}; it was '${given.slice(0, 40)}'.`);
  }
  if (reason === null) throw usageError('--decide needs --reason: the trail keeps why.');
  return { holdId: args.text('hold'), decision, reason };
}

const DECISIONS = ['approve', 'deny', 'retry', 'cancel'] as const;

/** What was asked for stands in the trail, and cannot be asked for otherwise in the middle. */
function assertResumeOptions(args: ParsedArguments): void {
  const given = ['since', 'model', 'timeout', 'workspace'].filter(
    (name) => args.text(name) !== null,
  );
  const lists = ['path', 'role'].filter((name) => args.list(name).length > 0);
  const [first] = [
    ...given,
    ...lists,
    ...['rules', 'tree', 'sign-off'].filter((name) => args.has(name)),
  ];
  if (args.positionals.length > 0) {
    throw usageError('--resume goes on with the commit of the review; give no other one.');
  }
  if (first !== undefined) {
    throw usageError(`--resume goes on with what was asked for; leave --${first} away.`);
  }
}
