import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import {
  type CheckFileOutcome,
  type CompileFileInput,
  type CompileFileOutcome,
  checkFile,
  compileFile,
  toCompileResultJson,
} from '@millforge/compiler/publish';
import { type Diagnostic, MillforgeError, unreachable } from '@millforge/contracts';
import { makeFolder } from '@millforge/kernel/artifacts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { fileError, usageError } from '../cli-error.ts';
import type { EffectiveConfig } from '../config/effective-config.ts';
import { projectOf } from '../config/places.ts';
import { openProjectTools } from '../custom-tools/project-tools.ts';
import {
  COMPILE_OPTIONS,
  type CompileSelection,
  compileSelection,
} from '../documents/compile-options.ts';
import { compileRequest } from '../documents/compile-request.ts';
import { readCompileInput } from '../documents/compile-source.ts';
import { printSarif } from '../output/diagnostic-report.ts';
import { EXIT_CHECK_FAILED } from '../output/exit-status.ts';
import { type CliHost, writeJsonLine, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS, readConfiguration } from './configured.ts';
import { reportFailure } from './report-failure.ts';
import { watchFiles } from './watch-files.ts';

/** Compiles a harness and writes its plan, or says whether the plan that is there is the right one. */
export const compileCommand: Command = {
  command: 'compile',
  positionals: ['SOURCE'],
  summary: 'compile a harness into a plan file',
  example: 'millforge compile harness.yaml --check',
  options: {
    ...COMPILE_OPTIONS,
    out: {
      value: 'DIR',
      help: 'directory of plan and report; default plans/ in the data directory',
    },
    check: { value: null, help: 'write nothing; exit 3 when the plan there is not the right one' },
    watch: {
      value: null,
      help: 'compile again whenever source, catalogs or profiles change; Ctrl-C ends it with 130',
    },
    format: { value: 'text|json|sarif', help: 'form of the result; default text' },
    json: { value: null, help: 'the same as --format json' },
    ...CONFIG_OPTIONS,
  },
  async run(context, args) {
    const { host, createMillforge } = context;
    const format = formatOf(args);
    if (args.has('check') && args.has('watch')) {
      throw usageError('--check looks once and --watch goes on; leave out one of them.');
    }
    const source = args.positionals[0] ?? '';
    const project = projectOf(source, host.cwd);
    const config = await readConfiguration(host, args, project);
    const selection = compileSelection(args);
    await using brought = await openProjectTools(context, args, project);
    await using millforge = createMillforge({
      dataDir: config.dataDirectory,
      env: host.env,
      tools: brought.tools,
    });
    const out = args.text('out');
    const work: CompileWork = {
      host,
      source,
      selection,
      format,
      isCheck: args.has('check'),
      directory: out === null ? join(config.dataDirectory, 'plans') : resolve(host.cwd, out),
      isOwnDirectory: out === null,
      grants: config.grants,
      input: async () => ({
        ...(await readCompileInput(selection, {
          cwd: host.cwd,
          catalog: millforge.catalog,
          profileIds: config.profiles.map((profile) => profile.profile_id),
        })),
        mayLeaveToSource: true,
      }),
    };
    return args.has('watch') ? watch(work) : compileOnce(work);
  },
};

interface CompileWork {
  readonly host: CliHost;
  /** Path of the source, as it was typed. */
  readonly source: string;
  readonly selection: CompileSelection;
  readonly format: Format;
  readonly isCheck: boolean;
  /** Path of the output directory, absolute. */
  readonly directory: string;
  /** Whether that directory is made when it is needed. */
  readonly isOwnDirectory: boolean;
  readonly grants: EffectiveConfig['grants'];
  /** Reads the catalogs as they are at the moment. */
  readonly input: () => Promise<CompileFileInput>;
}

type Format = 'text' | 'json' | 'sarif';

function formatOf(args: ParsedArguments): Format {
  const format = args.text('format') ?? (args.has('json') ? 'json' : 'text');
  if (format === 'text' || format === 'json' || format === 'sarif') return format;
  throw usageError(`--format must be text, json or sarif; it was '${format.slice(0, 40)}'.`);
}

/** Compiles until Ctrl-C, again whenever a file has changed. */
async function watch(work: CompileWork): Promise<number> {
  const { host, source, selection } = work;
  const files = [source, ...selection.catalogs, ...[selection.profiles ?? []].flat()];
  writeLine(host.stderr, `Watching ${files.join(', ')}; Ctrl-C ends it.`);
  const paths = files.map((file) => resolve(host.cwd, file));
  return watchFiles(host, paths, async () => {
    try {
      await compileOnce(work);
    } catch (error) {
      // A catalog that is being edited is as wrong as a source that is: the next change may mend it.
      if (!MillforgeError.is(error)) throw error;
      writeLine(host.stderr, `millforge: ${error.message}`);
    }
  });
}

async function compileOnce(work: CompileWork): Promise<number> {
  const outcome = await outcomeOf(work);
  const { format, host, source } = work;
  if (format === 'json') writeJsonLine(host.stdout, toCompileResultJson(outcome));
  if (format === 'sarif') printSarif(host, outcome.diagnostics, source);
  return report(outcome, work);
}

async function outcomeOf(work: CompileWork): Promise<CompileFileOutcome | CheckFileOutcome> {
  const { host, source, directory, grants, selection } = work;
  const input = await work.input();
  const request = (place: string) =>
    compileRequest(selection, { cwd: host.cwd, source, directory: place, grants });
  if (work.isOwnDirectory && !(await isThere(directory))) {
    // A source that does not compile makes no directory: that is found out beside another one, in
    // which nothing is written.
    const trial = await checkFile(await request(tmpdir()), input);
    if (trial.kind === 'rejected') return trial;
    if (work.isCheck) return { ...trial, kind: 'absent', found: [] };
    makeDirectory(directory);
  }
  const act = work.isCheck ? checkFile : compileFile;
  return act(await request(directory), input);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function makeDirectory(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (cause) {
    throw fileError(`The directory ${path} cannot be made`, cause);
  }
}

/** Says what came of it, unless a document says so, and gives the exit status. */
function report(outcome: CompileFileOutcome | CheckFileOutcome, work: CompileWork): number {
  const { host, directory, format } = work;
  const status = printFindings(outcome, work);
  const line = (text: string) => {
    if (format === 'text') writeLine(host.stdout, text);
  };
  switch (outcome.kind) {
    case 'published':
    case 'published_report_unsure': {
      const verb = outcome.reused ? 'is already there' : 'compiled';
      line(`${nameOf(outcome)} ${verb}: ${join(directory, basename(outcome.planPath))}`);
      return outcome.kind === 'published' ? 0 : status;
    }
    case 'current':
      line(`${nameOf(outcome)} is current: ${join(directory, basename(outcome.planPath))}`);
      return 0;
    case 'stale':
    case 'absent':
      writeLine(host.stderr, `${nameOf(outcome)} ${lackOf(outcome, directory)}`);
      return EXIT_CHECK_FAILED;
    case 'rejected':
    case 'conflict':
    case 'not_written':
    case 'publish_unsure':
      return status;
    default:
      return unreachable(outcome, 'outcome of a compilation');
  }
}

/** Prints the findings, each beside what it is about, and gives the exit status that they make. */
function printFindings(
  { diagnostics }: { readonly diagnostics: readonly Diagnostic[] },
  { host, source, directory, format }: CompileWork,
): number {
  const isQuiet = format !== 'text';
  const aboutSource = diagnostics.filter((diagnostic) => !isAboutOutput(diagnostic));
  const aboutOutput = diagnostics.filter(isAboutOutput);
  reportFailure(host, aboutSource, { path: source, isQuiet });
  reportFailure(host, aboutOutput, { path: directory, isQuiet });
  return reportFailure(host, diagnostics, { path: source, isQuiet: true });
}

function isAboutOutput({ phase, code }: Diagnostic): boolean {
  return phase === 'output' || OUTPUT_REQUEST_CODES.has(code);
}

function nameOf({ plan }: { readonly plan: Named }): string {
  return `${plan.harness_id}@${plan.harness_version}`;
}

interface Named {
  readonly harness_id: string;
  readonly harness_version: number;
}

function lackOf(
  { found, planPath }: { readonly found: readonly string[]; readonly planPath: string },
  directory: string,
): string {
  const fileName = basename(planPath);
  if (found.includes(fileName)) return `is stale: ${join(directory, fileName)} has other bytes.`;
  return found.length === 0
    ? `is absent: ${directory} has no plan of this harness, and should have ${fileName}.`
    : `is stale: ${directory} has ${found.join(', ')}, and should have ${fileName}.`;
}

const OUTPUT_REQUEST_CODES: ReadonlySet<string> = new Set(['MF-S002', 'MF-S016', 'MF-S017']);
