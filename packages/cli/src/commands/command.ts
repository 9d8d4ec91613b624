import type { ArgumentSpec, ParsedArguments } from '../arguments/parse-arguments.ts';
import type { CliHost } from '../output/terminal.ts';
import type { ConnectorLogin, ConnectorOpener } from '../port/connector-port.ts';
import type { CustomToolsOpener } from '../port/custom-tools-port.ts';
import type { MillforgeFactory } from '../port/millforge-port.ts';

/** What every command is given. */
export interface CommandContext {
  /** The process around it. */
  readonly host: CliHost;
  /** Makes what the commands work with; called only by commands that need it. */
  readonly createMillforge: MillforgeFactory;
  /** Makes the way to a server; nothing is started or reached before it is used. */
  readonly openConnector: ConnectorOpener;
  /** Has somebody log in to a service. */
  readonly logInToConnector: ConnectorLogin;
  /** Compiles custom tools and puts their code behind them. */
  readonly openCustomTools: CustomToolsOpener;
}

/** One command of the command line. */
export interface Command extends ArgumentSpec {
  /** One line for the list of commands. */
  readonly summary: string;
  /** One example for its help. */
  readonly example: string;
  /** Does it, and gives the exit status. */
  run(context: CommandContext, args: ParsedArguments): Promise<number>;
}
