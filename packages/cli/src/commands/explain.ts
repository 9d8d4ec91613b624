import {
  explainPlan,
  explanationToMermaid,
  type PlanExplanation,
  renderExplanation,
} from '@millforge/compiler/render';
import { type Diagnostic, readPlan } from '@millforge/contracts';
import type { ParsedArguments } from '../arguments/parse-arguments.ts';
import { documentError, usageError } from '../cli-error.ts';
import { projectOf } from '../config/places.ts';
import { openProjectTools } from '../custom-tools/project-tools.ts';
import {
  COMPILE_OPTIONS,
  type CompileSelection,
  compileSelection,
} from '../documents/compile-options.ts';
import type { CompileSurroundings } from '../documents/compile-source.ts';
import { type LoadedPlan, loadPlan } from '../documents/load-plan.ts';
import { type CliHost, writeJsonLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { CONFIG_OPTIONS, readConfiguration } from './configured.ts';
import { reportFailure } from './report-failure.ts';

/** Says what a harness or a plan means: gates, ends, artifacts, budgets and capabilities. Writes nothing. */
export const explainCommand: Command = {
  command: 'explain',
  positionals: ['SOURCE|PLAN'],
  summary: 'gates, ends, artifacts, budgets and capabilities of a harness or a plan',
  example: 'millforge explain harness.yaml --format mermaid',
  options: {
    format: { value: 'text|json|mermaid', help: 'form of the explanation; default text' },
    json: { value: null, help: 'the same as --format json' },
    ...withoutGrant(),
    ...CONFIG_OPTIONS,
  },
  async run(context, args) {
    const { host, createMillforge } = context;
    const format = formatOf(args);
    const path = args.positionals[0] ?? '';
    const project = projectOf(path, host.cwd);
    const config = await readConfiguration(host, args, project);
    await using brought = await openProjectTools(context, args, project);
    await using millforge = createMillforge({
      dataDir: config.dataDirectory,
      env: host.env,
      tools: brought.tools,
    });
    const loaded = await loadUngranted(path, compileSelection(args), {
      cwd: host.cwd,
      catalog: millforge.catalog,
      profileIds: null,
      grants: [],
    });
    if (!loaded.ok) return reportFailure(host, loaded.diagnostics, { path, isQuiet: false });
    const read = readPlan(loaded.bytes);
    if (!read.ok) throw documentError(`${path} cannot be explained: ${read.problems[0] ?? ''}`);
    print(host, format, explainPlan(read.plan));
    return 0;
  },
};

type Format = 'text' | 'json' | 'mermaid';

function formatOf(args: ParsedArguments): Format {
  const format = args.text('format') ?? (args.has('json') ? 'json' : 'text');
  if (format === 'text' || format === 'json' || format === 'mermaid') return format;
  throw usageError(`--format must be text, json or mermaid; it was '${format.slice(0, 40)}'.`);
}

function withoutGrant(): Command['options'] {
  // What a harness needs is what is to be explained, whether or not it is granted.
  const { grant: _, ...options } = COMPILE_OPTIONS;
  return options;
}

/** Loads a plan as if all that it needs were granted; grants are no part of a plan. */
async function loadUngranted(
  path: string,
  selection: CompileSelection,
  around: CompileSurroundings,
): Promise<LoadedPlan> {
  const first = await loadPlan(path, selection, around);
  if (first.ok) return first;
  const needed = first.diagnostics.flatMap(neededCapability);
  const grants = [...new Set([...around.grants, ...needed])];
  return grants.length === around.grants.length
    ? first
    : loadPlan(path, selection, { ...around, grants });
}

function neededCapability({ code, fields = [] }: Diagnostic): readonly string[] {
  const capability = fields.find(({ key }) => key === 'capability_id')?.value;
  return code === 'MF-C001' && typeof capability === 'string' ? [capability] : [];
}

function print({ stdout }: CliHost, format: Format, explanation: PlanExplanation): void {
  if (format === 'json') writeJsonLine(stdout, explanation);
  else if (format === 'mermaid') stdout.write(explanationToMermaid(explanation));
  else stdout.write(renderExplanation(explanation));
}
