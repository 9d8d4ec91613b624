import { readModelProfile } from '@millforge/models';
import type { OptionSpec, ParsedArguments } from '../arguments/parse-arguments.ts';
import { usageError } from '../cli-error.ts';
import { type EffectiveConfig, readEffectiveConfig } from '../config/effective-config.ts';
import { openTrustStore } from '../config/trust-store.ts';
import { readGrantFlag } from '../documents/read-grant-flag.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';
import { DATA_OPTION } from './data-place.ts';
import { trustHint } from './trust-hint.ts';

/** Options of every command that reads the configuration. */
export const CONFIG_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  ...DATA_OPTION,
  'trust-project': {
    value: null,
    help: "use the project's configuration for this command although it was not accepted",
  },
};

/**
 * Reads the configuration in force for a project. A project's file that nobody has accepted is asked
 * about on a terminal, and left aside with one line otherwise.
 */
export async function readConfiguration(
  host: CliHost,
  args: ParsedArguments,
  project: string,
): Promise<EffectiveConfig> {
  const flags = {
    model: args.text('model'),
    apiKeyEnv: args.text('api-key-env'),
    proxy: proxyFlag(args),
    data: args.text('data'),
    grants: args.list('grant').map(readGrantFlag),
    trustProject: args.has('trust-project'),
  };
  const places = { project, cwd: host.cwd, env: host.env };
  const config = await readEffectiveConfig(flags, places);
  const { untrusted } = config;
  if (untrusted === null) return config;
  const wishes = untrusted.asksFor.join('; ') || 'nothing';
  if (!host.canAsk) {
    writeLine(
      host.stderr,
      `${untrusted.file} is not used, nobody has accepted it. It asks for: ${wishes}. ${trustHint(host, args, project)} accepts it, --trust-project uses it once.`,
    );
    return config;
  }
  writeLine(host.stderr, `${untrusted.file} asks for: ${wishes}.`);
  if (!(await isConfirmed(host, 'Accept it?'))) return config;
  await openTrustStore(config.trustDirectory).accept(untrusted.file, untrusted.text);
  return readEffectiveConfig(flags, places);
}

/** What the command line says of a proxy: a URL, `none`, or nothing. */
function proxyFlag(args: ParsedArguments): string | null {
  const url = args.text('proxy');
  if (url !== null) assertProxy(url);
  if (!args.has('no-proxy')) return url;
  if (url !== null) throw usageError('--proxy and --no-proxy contradict each other; give one.');
  return 'none';
}

/** Also where no server is asked, as for a scripted model: what is given and cannot be used is told. */
function assertProxy(proxy: string): void {
  const profile = { profile_id: 'any', base_url: 'http://127.0.0.1/v1', model: 'any', proxy };
  const read = readModelProfile(profile);
  if (!read.ok) {
    throw usageError(`The proxy cannot be used: ${read.problems[0]?.message ?? ''}`);
  }
}

/** Asks a person a question that is answered with no unless they say yes. */
export async function isConfirmed(host: CliHost, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await host.ask(`${question} [y/N] `)).trim());
}
