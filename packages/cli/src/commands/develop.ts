import { resolve } from 'node:path';
import { MillforgeError } from '@millforge/contracts';
import type { DevelopContract } from '@millforge/kernel/develop';
import { parseModelReference } from '@millforge/models';
import type { RunEvent } from '@millforge/runtime';
import { documentError, usageError } from '../cli-error.ts';
import { type EffectiveConfig, SOURCE_NAMES } from '../config/effective-config.ts';
import { modelSetting } from '../documents/model-setting.ts';
import { readDevelopContractFile } from '../documents/read-develop-contract.ts';
import { eventDocument } from '../output/event-document.ts';
import { exitStatusOf } from '../output/exit-status.ts';
import { ownName } from '../output/own-name.ts';
import { printDevelopResult } from '../output/render-develop-result.ts';
import { createRunProgress } from '../output/run-progress.ts';
import { type CliHost, writeJsonLine, writeLine } from '../output/terminal.ts';
import type { PlacedGoal } from '../output/ways-on.ts';
import type { DevelopHandle, DevelopRequest } from '../port/develop-port.ts';
import type { ModelSetting } from '../port/model-setting.ts';
import type { Command } from './command.ts';
import { commandLine } from './command-line.ts';
import { CONFIG_OPTIONS, readConfiguration } from './configured.ts';
import { placeOf } from './data-place.ts';
import { suspendOnInterrupt } from './suspend-on-interrupt.ts';

/** Develops a folder in bounded phases, and hands over a patch. */
export const developCommand: Command = {
  command: 'develop',
  positionals: ['CONTRACT'],
  summary: 'develop a folder in bounded phases on a copy, and hand over a patch to review',
  example:
    'millforge develop contract.json --checks ../acceptance --model http://127.0.0.1:11434/v1#qwen3:8b',
  options: {
    workspace: {
      value: 'DIR',
      help: 'folder that is developed; it is only read. Default the current one',
    },
    checks: {
      value: 'DIR',
      help: 'folder of protected checks, which the model is told nothing of',
    },
    model: { value: 'REF', help: 'profile id or URL#MODEL' },
    'api-key-env': { value: 'NAME', help: "environment variable that holds the server's key" },
    proxy: {
      value: 'URL|environment',
      help: 'proxy for a model server that is not this machine, or what https_proxy and no_proxy say',
    },
    'no-proxy': { value: null, help: 'use no proxy, whatever the configuration names' },
    shell: {
      value: null,
      help: 'let build and debug run shell commands, which no path policy holds',
    },
    actor: { value: 'NAME', help: 'who acts, for the trail; default user@host' },
    json: { value: null, help: 'events and result as JSON Lines' },
    ...CONFIG_OPTIONS,
  },
  async run({ host, createMillforge }, args) {
    const contract = await readDevelopContractFile(host, args.positionals[0] ?? '');
    const candidate = resolve(host.cwd, args.text('workspace') ?? '.');
    const checks = args.text('checks');
    const config = await readConfiguration(host, args, candidate);
    const model = await phaseModel(config, host);
    const actor = args.text('actor');
    await using millforge = createMillforge({
      dataDir: config.dataDirectory,
      env: host.env,
      builtinTools: config.settings,
      ...(actor === null ? {} : { actor }),
    });
    const { flag: dataFlag } = await placeOf(host, args, config.dataDirectory);
    const program = ownName(host.env);
    const begunBy = `${program} ${commandLine(developCommand, args)}`;
    const view = { isJson: args.has('json'), dataFlag, workspace: candidate, program, begunBy };
    const request: Omit<DevelopRequest, 'onEvent'> = {
      // The product reads it, and says what is wrong in it.
      contract: contract as unknown as DevelopContract,
      candidate,
      model,
      shell: args.has('shell'),
      ...(checks === null ? {} : { checks: resolve(host.cwd, checks) }),
    };
    try {
      return await watchDevelop(host, view, (onEvent) =>
        millforge.develop({ ...request, onEvent }),
      );
    } catch (error) {
      const count = tellDiagnostics(host, error);
      if (count === 0) throw error;
      const mistakes = count === 1 ? 'a mistake' : `${count} mistakes`;
      throw documentError(`The contract ${args.positionals[0] ?? ''} has ${mistakes}.`, error);
    }
  },
};

/** The model in force for phases, which no harness of the user names. */
async function phaseModel(config: EffectiveConfig, host: CliHost): Promise<ModelSetting> {
  if (config.model === null) {
    throw usageError(
      '--model is missing: name the model of the phases, such as http://127.0.0.1:11434/v1#qwen3:8b.',
    );
  }
  const reference = parseModelReference(config.model.reference);
  // Its replies are counted within a conversation, and every phase begins one of its own.
  if (reference.kind === 'scripted') {
    throw usageError(
      `The model of ${SOURCE_NAMES[config.model.source]}, ${config.model.reference}, cannot drive a development, whose phases would all be answered alike; name a server as --model URL#MODEL.`,
    );
  }
  const profileId = reference.kind === 'profile' ? reference.profileId : 'develop';
  return modelSetting(config, profileId, host);
}

/** Starts a development, shows its phases, prints its result. Ctrl-C suspends it, a second one at once. */
async function watchDevelop(
  host: CliHost,
  view: Omit<PlacedGoal, 'goalId'> & { readonly isJson: boolean; readonly workspace: string },
  start: (onEvent: NonNullable<DevelopRequest['onEvent']>) => Promise<DevelopHandle>,
): Promise<number> {
  const progress = createRunProgress(host);
  let handle: DevelopHandle | null = null;
  let current = '';
  const onEvent = (event: RunEvent, { phase, round }: { phase: string; round: number }): void => {
    const name = `${phase}, round ${round}`;
    if (name !== current && !event.replayed) {
      current = name;
      progress.note(name);
    }
    // What ends is a phase, and its report is not a result.
    if (event.kind !== 'run-ended') progress.onEvent(event);
    if (view.isJson) writeJsonLine(host.stdout, { ...eventDocument(event), phase, round });
  };
  const interrupts = suspendOnInterrupt(host, {
    isAsking: () => progress.isAsking(),
    note: (line) => progress.note(line),
    stop: (options) => handle?.stop(options),
  });
  try {
    handle = await start(onEvent);
    progress.note(`development ${handle.goalId}`);
    if (view.isJson) {
      writeJsonLine(host.stdout, { type: 'development-started', goal_id: handle.goalId });
    }
    interrupts.repeat();
    const result = await handle.result;
    progress.close();
    if (view.isJson) writeJsonLine(host.stdout, result);
    else printDevelopResult(host.stdout, result, view);
    return exitStatusOf(result.status);
  } finally {
    progress.close();
    interrupts.close();
  }
}

/** Every mistake of a contract on a line of its own; gives their number. */
function tellDiagnostics(host: CliHost, error: unknown): number {
  if (!MillforgeError.is(error, 'millforge/document')) return 0;
  const found = fieldsOf(error.details).get('diagnostics');
  if (!Array.isArray(found)) return 0;
  for (const one of found.slice(0, MAX_LINES).map(fieldsOf)) {
    const path = text(fieldsOf(one.get('source_reference')).get('field_path'));
    const place = path === '' ? '/' : path;
    writeLine(host.stderr, `${text(one.get('code'))} at ${place}: ${text(one.get('message'))}`);
  }
  return found.length;
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const MAX_LINES = 20;
