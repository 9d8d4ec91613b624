import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { type PublishOutcome, publishPlan } from '@millforge/compiler/publish';
import { usageError } from '../arguments/usage-error.ts';
import { COMPILE_OPTIONS, compileSelection } from '../documents/compile-options.ts';
import { compileResultDocument, renderDiagnostic } from '../documents/compile-report.ts';
import { compileSource } from '../documents/compile-source.ts';
import { EXIT_FAILED, exitStatusOfDiagnostics } from '../output/exit-status.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS, readConfiguration } from './configured.ts';

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
    const format = args.has('json') ? 'json' : (args.text('format') ?? 'text');
    if (format !== 'text' && format !== 'json') {
      throw usageError(`--format must be text or json; it was '${format.slice(0, 40)}'.`);
    }
    const source = resolve(host.cwd, args.positionals[0] ?? '');
    const config = await readConfiguration(host, args, dirname(source));
    const selection = compileSelection(args);
    await using millforge = createMillforge({ dataDir: config.dataDirectory, env: host.env });
    const result = await compileSource(source, selection, {
      cwd: host.cwd,
      catalog: millforge.catalog,
      profileIds: config.profiles.map((profile) => profile.profile_id),
      grants: config.grants,
    });
    const request = {
      requestId: selection.requestId,
      stageKindId: selection.stageKind,
      format: extname(source).toLowerCase() === '.json' ? ('json' as const) : ('yaml' as const),
      sourcePath: basename(source),
    };
    if (!result.ok) {
      if (format === 'json') {
        writeLine(host.stdout, JSON.stringify(compileResultDocument(result, request, null)));
      } else {
        for (const diagnostic of result.diagnostics) {
          writeLine(host.stderr, renderDiagnostic(diagnostic, args.positionals[0] ?? ''));
        }
      }
      return exitStatusOfDiagnostics(result.diagnostics.map((diagnostic) => diagnostic.code));
    }
    const directory = await outputDirectory(args.text('out'), config.dataDirectory, host.cwd);
    const outcome = await publishPlan({ directory, bytes: result.bytes });
    if (outcome.kind !== 'published') {
      writeLine(host.stderr, `millforge: ${refusalOf(outcome, directory)}`);
      return EXIT_FAILED;
    }
    const { fileName } = outcome;
    if (format === 'json') {
      const document = compileResultDocument(result, request, { directory, fileName });
      writeLine(host.stdout, JSON.stringify(document));
    } else {
      const { harness_id: id, harness_version: version } = result.plan;
      const verb = outcome.reused ? 'is already there' : 'compiled';
      writeLine(host.stdout, `${id}@${version} ${verb}: ${join(directory, fileName)}`);
    }
    return 0;
  },
};

function refusalOf(
  outcome: Exclude<PublishOutcome, { kind: 'published' }>,
  directory: string,
): string {
  switch (outcome.kind) {
    case 'conflict':
      return `Another file has the name of this plan in ${directory}; move ${outcome.fileName} away. Nothing was replaced.`;
    case 'rejected':
      return `The plan was refused: ${outcome.problems[0] ?? ''}`;
    case 'not_written':
      return `The plan could not be written to ${directory} (${outcome.errorCode}): ${outcome.reason}`;
    case 'publish_unsure':
      return `The plan was written to ${directory}, but the disk did not confirm it (${outcome.errorCode}); compile again.`;
  }
}

async function outputDirectory(
  out: string | null,
  dataDirectory: string,
  cwd: string,
): Promise<string> {
  if (out === null) {
    const plans = join(dataDirectory, 'plans');
    await mkdir(plans, { recursive: true, mode: 0o700 });
    return realpath(plans);
  }
  try {
    return await realpath(resolve(cwd, out));
  } catch (cause) {
    throw usageError(`The directory ${out} does not exist; create it first.`, cause);
  }
}
