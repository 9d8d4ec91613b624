import { resolve } from 'node:path';
import { type JsonValue, readJson, toPlainJson } from '@millforge/contracts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { documentError, usageError } from '../cli-error.ts';
import { readSettings } from '../config/effective-config.ts';
import { openProjectTools } from '../custom-tools/project-tools.ts';
import { tellEnvironmentProxy } from '../documents/model-setting.ts';
import { readInputFile } from '../documents/read-input-file.ts';
import { exitStatusOf } from '../output/exit-status.ts';
import { ownName } from '../output/own-name.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';
import { otherKind } from '../output/ways-on.ts';
import type { DecisionRequest } from '../port/decision-request.ts';
import type { Command } from './command.ts';
import { DATA_OPTION, findData } from './data-place.ts';
import { terminalApprovals } from './terminal-approvals.ts';
import { showResult, watchRun } from './watch-run.ts';

/** Goes on with a suspended, crashed or held run; prints the result of one that has ended. */
export const resumeCommand: Command = {
  command: 'resume',
  positionals: ['RUN'],
  summary: 'go on with a run that was interrupted, or decide what it is held for',
  example: 'millforge resume run_01hv3k --decide accept --reason "I looked: it was sent."',
  options: {
    decide: { value: 'retry|accept|cancel|approve|deny', help: 'answer a hold, then go on' },
    hold: { value: 'ID', help: 'the hold, where several are open' },
    reason: { value: 'TEXT', help: 'why, for the trail' },
    outcome: {
      value: 'FILE',
      help: 'for accept: the recorded outcome (runs RUN --json has a template)',
    },
    actor: { value: 'NAME', help: 'who decides, for the trail; default user@host' },
    json: { value: null, help: 'events and result as JSON Lines' },
    ...DATA_OPTION,
  },
  async run(context, args) {
    const { host, createMillforge } = context;
    const runId = args.positionals[0] ?? '';
    const decision = await readDecision(host, args);
    const actor = args.text('actor');
    const data = await findData(host, args);
    const places = { ...host, project: host.cwd };
    await using brought = await openProjectTools(context, args, host.cwd);
    await using millforge = createMillforge({
      tools: brought.tools,
      dataDir: data.directory,
      env: host.env,
      approvalProvider: terminalApprovals(host),
      builtinTools: await readSettings(args.text('data'), places),
      ...(actor === null ? {} : { actor }),
    });
    const kind = await millforge.goalKind(runId);
    const view = { isJson: args.has('json'), dataFlag: data.flag, kind };
    // Before the decision, which stands once it is taken.
    if (kind === 'review' || (kind === 'development' && decision === null)) {
      throw usageError(
        otherKind(kind, { goalId: runId, dataFlag: data.flag, program: ownName(host.env) }),
      );
    }
    if (decision !== null) {
      const resumes = kind === 'run' && decision.decision !== 'cancel';
      const decided = await millforge.decide(runId, { ...decision, resumes });
      writeLine(host.stderr, `Decided: ${decision.decision}.`);
      if (kind === 'development' || decided.status === 'cancelled' || decided.status === 'held') {
        showResult(host, view, decided);
        // A development waits for its own command then; what was asked here is done.
        const isDone = decided.status === 'interrupted' || decided.status === 'running';
        return isDone ? 0 : exitStatusOf(decided.status);
      }
    }
    return await watchRun(host, { ...view, beginning: 'run-resumed' }, ({ onEvent, onWaiting }) =>
      millforge.resume(runId, {
        onEvent,
        onWaiting,
        onModel: (model) => tellEnvironmentProxy(model, host),
      }),
    );
  },
};

async function readDecision(host: CliHost, args: ParsedArguments): Promise<DecisionRequest | null> {
  const decision = args.text('decide');
  if (decision === null) {
    const orphan = ['hold', 'reason', 'outcome'].find((name) => args.text(name) !== null);
    if (orphan !== undefined) throw usageError(`--${orphan} needs --decide.`);
    return null;
  }
  if (!isDecision(decision)) {
    throw usageError(
      `--decide must be retry, accept, cancel, approve or deny; it was '${decision.slice(0, 40)}'.`,
    );
  }
  const file = args.text('outcome');
  if (decision !== 'accept' && file !== null) {
    throw usageError('--outcome goes with --decide accept.');
  }
  return {
    holdId: args.text('hold'),
    decision,
    reason: args.text('reason') ?? 'decided on the command line',
    ...(file === null ? {} : { outcome: await readOutcome(host, file) }),
  };
}

function isDecision(text: string): text is DecisionRequest['decision'] {
  return Object.hasOwn(DECISIONS, text);
}

async function readOutcome(host: CliHost, file: string): Promise<JsonValue> {
  const content = await readInputFile({
    path: resolve(host.cwd, file),
    what: 'outcome',
    maxBytes: MAX_OUTCOME_BYTES,
  });
  if (content.length > MAX_OUTCOME_BYTES) {
    throw documentError(`The outcome ${file} is larger than ${MAX_OUTCOME_BYTES} bytes.`);
  }
  const read = readJson(content.toString('utf8'));
  if (!read.ok) throw documentError(`The outcome ${file} is not valid JSON: ${read.message}`);
  return toPlainJson(read.value);
}

const DECISIONS: { readonly [Decision in DecisionRequest['decision']]: true } = {
  retry: true,
  accept: true,
  cancel: true,
  approve: true,
  deny: true,
};
const MAX_OUTCOME_BYTES = 1_048_576;
