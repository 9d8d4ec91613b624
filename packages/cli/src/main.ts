import { MillforgeError } from '@millforge/contracts';
import { parseArguments } from './arguments/parse-arguments.ts';
import { systemCode, usageError } from './cli-error.ts';
import type { Command } from './commands/command.ts';
import { compileCommand } from './commands/compile.ts';
import { connectAdmitCommand } from './commands/connect-admit.ts';
import { connectCallCommand } from './commands/connect-call.ts';
import { connectDiffCommand } from './commands/connect-diff.ts';
import { connectDiscoverCommand } from './commands/connect-discover.ts';
import { connectDraftCommand } from './commands/connect-draft.ts';
import { connectLoginCommand } from './commands/connect-login.ts';
import { dataFlag } from './commands/data-place.ts';
import { developCommand } from './commands/develop.ts';
import { diffCommand } from './commands/diff.ts';
import { doctorCommand } from './commands/doctor.ts';
import { explainCommand } from './commands/explain.ts';
import { initCommand } from './commands/init.ts';
import {
  publishApproveCommand,
  publishDispatchCommand,
  publishIntendCommand,
  publishListCommand,
  publishReconcileCommand,
  publishRevokeCommand,
} from './commands/publish.ts';
import { resumeCommand } from './commands/resume.ts';
import { reviewCommand } from './commands/review.ts';
import { runCommand } from './commands/run.ts';
import { runsCommand } from './commands/runs.ts';
import { toolsCheckCommand } from './commands/tools-check.ts';
import { toolsLsCommand } from './commands/tools-ls.ts';
import { toolsShowCommand } from './commands/tools-show.ts';
import { trailFollowCommand, trailShowCommand, trailVerifyCommand } from './commands/trail.ts';
import { trailExportCommand, trailImportCommand } from './commands/trail-transfer.ts';
import { trustCommand } from './commands/trust.ts';
import { exitStatusOfError } from './output/exit-status.ts';
import { renderCommandHelp, renderOverview } from './output/help.ts';
import { nodeHost } from './output/node-host.ts';
import { asCalled, ownName } from './output/own-name.ts';
import { type CliHost, writeLine } from './output/terminal.ts';
import type { ConnectorLogin, ConnectorOpener } from './port/connector-port.ts';
import type { CustomToolsOpener } from './port/custom-tools-port.ts';
import type { MillforgeFactory } from './port/millforge-port.ts';

/** What the command line is given by the program around it. */
export interface MainOptions {
  /** Makes the product. */
  readonly createMillforge: MillforgeFactory;
  /** Makes the way to a server. */
  readonly openConnector: ConnectorOpener;
  /** Has somebody log in to a service. */
  readonly logInToConnector: ConnectorLogin;
  /** Compiles custom tools and puts their code behind them. */
  readonly openCustomTools: CustomToolsOpener;
  /** Version to print. */
  readonly version: string;
  /** The process around it; default the real one. */
  readonly host?: CliHost;
}

/**
 * Runs one command line and gives its exit status; never throws and never exits the process.
 * Every error is one sentence on stderr.
 */
export async function main(argv: readonly string[], options: MainOptions): Promise<number> {
  const host = options.host ?? nodeHost();
  try {
    return await dispatch(argv, { ...options, host });
  } catch (thrown) {
    const error = firstOf(thrown);
    const sentence = asCalled(sentenceOf(error), host.env, givenData(argv));
    writeLine(host.stderr, `millforge: ${sentence}`);
    return exitStatusOfError(error);
  }
}

/** The data directory of a command line that may be wrong, for the commands that are advised. */
function givenData(argv: readonly string[]): string {
  const at = argv.findLastIndex((word) => word === '--data' || word.startsWith('--data='));
  const value = argv[at] === '--data' ? argv[at + 1] : argv[at]?.slice('--data='.length);
  return value === undefined || value === '' ? '' : dataFlag(value);
}

/** What failed first, where closing after it failed as well. */
function firstOf(error: unknown): unknown {
  // By its name: the class is not there on Node 20.
  const isDouble =
    error instanceof Error && error.name === 'SuppressedError' && 'suppressed' in error;
  return isDouble ? firstOf(error.suppressed) : error;
}

async function dispatch(
  argv: readonly string[],
  options: MainOptions & { readonly host: CliHost },
): Promise<number> {
  const { host, version } = options;
  const program = ownName(host.env);
  const [first] = argv;
  if (first === '--version' || first === '-V' || first === '-v') {
    writeLine(host.stdout, version);
    return 0;
  }
  const asksForAll = argv.length === 1 && first === 'help';
  if (first === undefined || first === '--help' || first === '-h' || asksForAll) {
    host.stdout.write(renderOverview(COMMANDS, { version, program }));
    return 0;
  }
  const topic = first === 'help' ? argv.slice(1) : argv;
  if ((first === 'help' && topic.length === 1) || isHelpOption(topic[1])) {
    const family = familyOf(topic[0]);
    if (family.length > 0) {
      host.stdout.write(renderOverview(family, { version, program }));
      return 0;
    }
  }
  if (first === 'help') {
    host.stdout.write(renderCommandHelp(resolveCommand(topic).command, program));
    return 0;
  }
  const { command, rest } = resolveCommand(argv);
  if (rest.some(isHelpOption)) {
    host.stdout.write(renderCommandHelp(command, program));
    return 0;
  }
  return command.run(options, parseArguments(command, rest));
}

function resolveCommand(argv: readonly string[]): { command: Command; rest: readonly string[] } {
  const [first = '', second = ''] = argv;
  const twoWords = COMMANDS.find((command) => command.command === `${first} ${second}`);
  if (twoWords !== undefined) return { command: twoWords, rest: argv.slice(2) };
  const oneWord = COMMANDS.find((command) => command.command === first);
  if (oneWord !== undefined) return { command: oneWord, rest: argv.slice(1) };
  const family = familyOf(first);
  if (family.length > 0) {
    throw usageError(
      `'millforge ${first}' needs one of: ${family.map((command) => command.command.slice(first.length + 1)).join(', ')}.`,
    );
  }
  throw usageError(
    `There is no command '${first.slice(0, 40)}'; the commands are ${COMMANDS.map((command) => command.command).join(', ')}.`,
  );
}

/** Commands of two words that begin with this one. */
function familyOf(first: string | undefined): readonly Command[] {
  return COMMANDS.filter((command) => command.command.startsWith(`${first} `));
}

function isHelpOption(argument: string | undefined): boolean {
  return argument === '--help' || argument === '-h';
}

function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  // A message that comes from elsewhere may have lines; this is one.
  const sentence = message.replaceAll(/\s+/g, ' ').trim();
  if (MillforgeError.is(error)) return sentence;
  if (systemCode(error)?.startsWith('E') === true) return `The system refused: ${sentence}.`;
  return sentence === ''
    ? 'An unknown fault of Millforge.'
    : `${sentence} (this is a fault of Millforge)`;
}

const COMMANDS: readonly Command[] = [
  initCommand,
  trustCommand,
  doctorCommand,
  compileCommand,
  explainCommand,
  diffCommand,
  runCommand,
  resumeCommand,
  developCommand,
  reviewCommand,
  publishIntendCommand,
  publishApproveCommand,
  publishRevokeCommand,
  publishDispatchCommand,
  publishReconcileCommand,
  publishListCommand,
  runsCommand,
  trailShowCommand,
  trailFollowCommand,
  trailVerifyCommand,
  trailExportCommand,
  trailImportCommand,
  toolsLsCommand,
  toolsShowCommand,
  toolsCheckCommand,
  connectLoginCommand,
  connectDiscoverCommand,
  connectDraftCommand,
  connectAdmitCommand,
  connectDiffCommand,
  connectCallCommand,
];
