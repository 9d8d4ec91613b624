import { resolve } from 'node:path';
import { parseDuration } from '../arguments/parse-duration.ts';
import { usageError } from '../cli-error.ts';
import { projectOf } from '../config/places.ts';
import { openProjectTools } from '../custom-tools/project-tools.ts';
import { COMPILE_OPTIONS, compileSelection } from '../documents/compile-options.ts';
import { failureDocument } from '../documents/compile-report.ts';
import { reportedRequest } from '../documents/compile-source.ts';
import { loadPlan } from '../documents/load-plan.ts';
import { modelSetting } from '../documents/model-setting.ts';
import { readInputFile } from '../documents/read-input-file.ts';
import { readOutputSchema } from '../documents/read-output-schema.ts';
import { type CliHost, writeJsonLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS, readConfiguration } from './configured.ts';
import { placeOf } from './data-place.ts';
import { reportFailure } from './report-failure.ts';
import { approvedClasses, runApprovals } from './run-approvals.ts';
import { assertBaseOptions, BASE_WORD, prepareBase } from './run-base.ts';
import { terminalApprovals } from './terminal-approvals.ts';
import { watchRun } from './watch-run.ts';

/** Compiles a harness if need be, and runs it on a task. */
export const runCommand: Command = {
  command: 'run',
  positionals: ['SOURCE|PLAN|base'],
  summary: 'run a harness, a compiled plan or the coding agent that ships on a task',
  example:
    'millforge run harness.yaml --task "Mend the test." --model http://127.0.0.1:11434/v1#qwen3:8b',
  options: {
    task: { value: 'TEXT|@FILE|-', help: 'what is to be done; - reads standard input' },
    workspace: {
      value: 'DIR',
      help: 'folder the tools work in, default the current one; base reads AGENTS.md from there up to the repository root',
    },
    model: { value: 'REF', help: 'profile id, URL#MODEL or scripted:FILE' },
    'api-key-env': { value: 'NAME', help: "environment variable that holds the server's key" },
    proxy: {
      value: 'URL|environment',
      help: 'proxy for a model server that is not this machine, or what https_proxy and no_proxy say',
    },
    'no-proxy': { value: null, help: 'use no proxy, whatever the configuration names' },
    approve: {
      value: 'CLASS',
      isRepeatable: true,
      help: 'side-effect class whose calls need nobody to agree, such as workspace_write',
    },
    'on-ambiguous': {
      value: 'hold|retry',
      help: 'an interrupted call of unknown outcome; default hold',
    },
    'output-schema': { value: 'FILE', help: 'JSON Schema of a result that a success has to bring' },
    timeout: { value: 'TIME', help: 'time that the run may work: 90s, 30m, 2h; default 30m' },
    actor: { value: 'NAME', help: 'who acts, for the trail; default user@host' },
    json: { value: null, help: 'events and result as JSON Lines' },
    ...COMPILE_OPTIONS,
    ...CONFIG_OPTIONS,
  },
  async run(context, args) {
    const { host, createMillforge } = context;
    const path = args.positionals[0] ?? '';
    const onAmbiguous = args.text('on-ambiguous') ?? 'hold';
    if (onAmbiguous !== 'hold' && onAmbiguous !== 'retry') {
      throw usageError(
        `--on-ambiguous must be hold or retry; it was '${onAmbiguous.slice(0, 40)}'.`,
      );
    }
    const timeout = args.text('timeout');
    const timeoutMs = timeout === null ? null : parseDuration(timeout, '--timeout');
    const task = await taskText(host, args.text('task'));
    const output = await readOutputSchema(host, args.text('output-schema'));
    const actor = args.text('actor');
    const workspace = resolve(host.cwd, args.text('workspace') ?? '.');
    const isBase = path === BASE_WORD;
    const project = isBase ? workspace : projectOf(path, host.cwd);
    const selection = compileSelection(args);
    if (isBase) assertBaseOptions(selection);
    const approved = approvedClasses(args);
    const config = await readConfiguration(host, args, project);
    await using brought = await openProjectTools(context, args, project);
    await using millforge = createMillforge({
      tools: brought.tools,
      dataDir: config.dataDirectory,
      env: host.env,
      approvalProvider: terminalApprovals(host),
      builtinTools: config.settings,
      ...(actor === null ? {} : { actor }),
    });
    const isJson = args.has('json');
    const limits = {
      task,
      onAmbiguous,
      approvals: runApprovals(approved, config.approvals),
      ...(timeoutMs === null ? {} : { timeoutMs }),
      ...(output === null ? {} : { output }),
    } as const;
    const { flag: dataFlag } = await placeOf(host, args, config.dataDirectory);
    const view = { isJson, dataFlag, beginning: 'run-started' } as const;
    if (isBase) {
      const base = await prepareBase(host, millforge, { config, workspace });
      return await watchRun(host, view, ({ onEvent }) => base.start({ ...limits, onEvent }));
    }
    const plan = await loadPlan(path, selection, {
      cwd: host.cwd,
      catalog: millforge.catalog,
      profileIds: null,
      grants: config.grants,
    });
    if (!plan.ok) {
      if (isJson)
        writeJsonLine(host.stdout, failureDocument(plan, reportedRequest(path, selection)));
      return reportFailure(host, plan.diagnostics, { path, isQuiet: isJson });
    }
    const model = await modelSetting(config, plan.profileId, host);
    return await watchRun(host, view, ({ onEvent }) =>
      millforge.run({
        ...limits,
        plan: { bytes: plan.bytes, sha256: plan.sha256 },
        workspace,
        model,
        grants: config.grants,
        onEvent,
      }),
    );
  },
};

async function taskText(host: CliHost, given: string | null): Promise<string> {
  if (given === null) {
    throw usageError('--task is missing: say what is to be done, as text, @FILE or -.');
  }
  const text = given === '-' ? await host.readStdin() : await fromFile(host, given);
  if (text.trim() === '') throw usageError('The task is empty; say what is to be done.');
  if (Buffer.byteLength(text) > MAX_TASK_BYTES) {
    throw usageError(`The task is larger than ${MAX_TASK_BYTES} bytes; shorten it.`);
  }
  return text;
}

async function fromFile(host: CliHost, given: string): Promise<string> {
  if (!given.startsWith('@')) return given;
  const content = await readInputFile({
    path: resolve(host.cwd, given.slice(1)),
    what: 'task file',
    maxBytes: MAX_TASK_BYTES,
  });
  return content.toString('utf8');
}

const MAX_TASK_BYTES = 262_144;
