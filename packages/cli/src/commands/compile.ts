import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CompiledResult } from '@millforge/compiler';
import {
  type PublishOutcome,
  publicationDiagnostics,
  publishPlan,
} from '@millforge/compiler/publish';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { fileError, usageError } from '../cli-error.ts';
import { COMPILE_OPTIONS, compileSelection } from '../documents/compile-options.ts';
import { failureDocument, publicationDocument } from '../documents/compile-report.ts';
import { compileSource, reportedRequest } from '../documents/compile-source.ts';
import { EXIT_FAILED } from '../output/exit-status.ts';
import { type CliHost, writeJsonLine, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS, readConfiguration } from './configured.ts';
import { reportFailure } from './report-failure.ts';

/** Compiles a harness and writes its plan. */
export const compileCommand: Command = {
  command: 'compile',
  positionals: ['SOURCE'],
  summary: 'compile a harness into a plan file',
  example: 'millforge compile harness.yaml --grant terminal.intent --out plans',
  options: {
    ...COMPILE_OPTIONS,
    out: { value: 'DIR', help: 'directory of the plan; default plans/ in the data directory' },
    format: { value: 'text|json', help: 'form of the result; default text' },
    json: { value: null, help: 'the same as --format json' },
    ...CONFIG_OPTIONS,
  },
  async run({ host, createMillforge }, args) {
    const isJson = isJsonWanted(args);
    const path = args.positionals[0] ?? '';
    const config = await readConfiguration(host, args, dirname(resolve(host.cwd, path)));
    const selection = compileSelection(args);
    await using millforge = createMillforge({ dataDir: config.dataDirectory, env: host.env });
    const result = await compileSource(path, selection, {
      cwd: host.cwd,
      catalog: millforge.catalog,
      profileIds: config.profiles.map((profile) => profile.profile_id),
      grants: config.grants,
    });
    const request = reportedRequest(path, selection);
    if (!result.ok) {
      if (isJson) writeJsonLine(host.stdout, failureDocument(result, request));
      return reportFailure(host, result.diagnostics, { path, isQuiet: isJson });
    }
    const directory = await outputDirectory(args.text('out'), config.dataDirectory, host.cwd);
    const outcome = await publishPlan({ directory, bytes: result.bytes });
    if (isJson) {
      const publication = { directory: basename(directory), outcome };
      writeJsonLine(host.stdout, publicationDocument(result, request, publication));
      return outcome.kind === 'published' ? 0 : EXIT_FAILED;
    }
    return printOutcome(host, result, { directory, outcome });
  },
};

function isJsonWanted(args: ParsedArguments): boolean {
  const format = args.text('format') ?? (args.has('json') ? 'json' : 'text');
  if (format !== 'text' && format !== 'json') {
    throw usageError(`--format must be text or json; it was '${format.slice(0, 40)}'.`);
  }
  return format === 'json';
}

async function outputDirectory(
  out: string | null,
  dataDirectory: string,
  cwd: string,
): Promise<string> {
  if (out === null) {
    const plans = join(dataDirectory, 'plans');
    try {
      await mkdir(plans, { recursive: true, mode: 0o700 });
      return await realpath(plans);
    } catch (cause) {
      throw fileError(`The directory ${plans} cannot be made`, cause);
    }
  }
  try {
    return await realpath(resolve(cwd, out));
  } catch (cause) {
    throw usageError(`The directory ${out} does not exist; create it first.`, cause);
  }
}

function printOutcome(
  host: CliHost,
  { plan }: CompiledResult,
  { directory, outcome }: { readonly directory: string; readonly outcome: PublishOutcome },
): number {
  if (outcome.kind === 'published') {
    const verb = outcome.reused ? 'is already there' : 'compiled';
    const file = join(directory, outcome.fileName);
    writeLine(host.stdout, `${plan.harness_id}@${plan.harness_version} ${verb}: ${file}`);
    return 0;
  }
  return reportFailure(host, publicationDiagnostics(outcome), { path: directory, isQuiet: false });
}
