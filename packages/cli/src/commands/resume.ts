import { resolve } from 'node:path';
import { type JsonValue, readJson, toPlainJson } from '@millforge/contracts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { documentError, usageError } from '../arguments/usage-error.ts';
import { userDataDirectory } from '../config/effective-config.ts';
import { readInputFile } from '../documents/read-input-file.ts';
import { exitStatusOf } from '../output/exit-status.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { printRunResult, watchRun } from './watch-run.ts';

/** Goes on with a suspended, crashed or held run. */
export const resumeCommand: Command = {
  command: 'resume',
  positionals: ['RUN'],
  summary: 'go on with a run that was interrupted, or decide what it is held for',
  example: 'millforge resume run_01hv3k --decide accept --reason "I looked: it was sent."',
  options: {
    decide: { value: 'retry|accept|cancel', help: 'answer a hold, then go on' },
    hold: { value: 'ID', help: 'the hold, where several are open' },
    reason: { value: 'TEXT', help: 'why, for the trail' },
    outcome: {
      value: 'FILE',
      help: 'for accept: the recorded outcome (runs RUN --json has a template)',
    },
    actor: { value: 'NAME', help: 'who decides, for the trail; default user@host' },
    json: { value: null, help: 'events and result as JSON Lines' },
    data: { value: 'DIR', help: 'data directory' },
  },
  async run({ host, createMillforge }, args) {
    const runId = args.positionals[0] ?? '';
    const decision = decisionOf(args);
    const outcome = await outcomeOf(host, args);
    const actor = args.text('actor');
    const dataDir = await userDataDirectory(args.text('data'), host);
    await using millforge = createMillforge({
      dataDir,
      env: host.env,
      ...(actor === null ? {} : { actor }),
    });
    const isJson = args.has('json');
    if (decision !== null) {
      const decided = await millforge.decide(runId, {
        holdId: args.text('hold'),
        decision,
        reason: args.text('reason') ?? 'decided on the command line',
        ...(outcome === undefined ? {} : { outcome }),
      });
      if (decided.status === 'cancelled' || decided.status === 'held') {
        printRunResult(host, { isJson }, decided);
        return exitStatusOf(decided.status);
      }
      if (!isJson) writeLine(host.stderr, `Decided: ${decision}.`);
    }
    return await watchRun(host, { isJson }, ({ onEvent, onWaiting }) =>
      millforge.resume(runId, { onEvent, onWaiting }),
    );
  },
};

function decisionOf(args: ParsedArguments): 'retry' | 'accept' | 'cancel' | null {
  const decision = args.text('decide');
  if (decision === null) {
    const orphan = ['hold', 'reason', 'outcome'].find((name) => args.text(name) !== null);
    if (orphan !== undefined) throw usageError(`--${orphan} needs --decide.`);
    return null;
  }
  if (decision !== 'retry' && decision !== 'accept' && decision !== 'cancel') {
    throw usageError('--decide must be retry, accept or cancel.');
  }
  if (decision !== 'accept' && args.text('outcome') !== null) {
    throw usageError('--outcome goes with --decide accept.');
  }
  return decision;
}

async function outcomeOf(host: CliHost, args: ParsedArguments): Promise<JsonValue | undefined> {
  const file = args.text('outcome');
  if (file === null) return undefined;
  const content = await readInputFile(resolve(host.cwd, file), 'outcome', MAX_OUTCOME_BYTES);
  const read = readJson(content.toString('utf8'));
  if (!read.ok) throw documentError(`The outcome ${file} is not valid JSON: ${read.message}`);
  return toPlainJson(read.value);
}

const MAX_OUTCOME_BYTES = 1_048_576;
