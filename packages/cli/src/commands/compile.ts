import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { publishPlan } from '@millforge/compiler/publish';
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
    if (outcome.kind !== 'published' && outcome.kind !== 'reused') {
      writeLine(host.stderr, `millforge: ${outcome.message}`);
      return EXIT_FAILED;
    }
    if (format === 'json') {
      const published = { directory, fileName: outcome.fileName };
      writeLine(host.stdout, JSON.stringify(compileResultDocument(result, request, published)));
    } else {
      writeLine(
        host.stdout,
        `${result.plan.harness_id}@${result.plan.harness_version} ${outcome.kind === 'reused' ? 'is already there' : 'compiled'}: ${join(directory, outcome.fileName)}`,
      );
    }
    return 0;
  },
};

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
