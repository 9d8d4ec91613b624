import { looksSecret } from '@millforge/contracts';
import type { PiToolOptions } from '../pi-tool-options.ts';

/** The environment of commands: what the host gives, without what looks like a secret. */
export function shellEnvironment(options: PiToolOptions): Record<string, string> {
  const kept = new Set(options.keepVariables ?? []);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.environment ?? SYSTEM_ENVIRONMENT)) {
    if (value === undefined) continue;
    if (kept.has(name) || !isSecretVariable(name, value)) environment[name] = value;
  }
  return environment;
}

/** Name of the variable by which the processes of a call can be found again. */
export const CALL_KEY = 'MILLFORGE_CALL_KEY';

function isSecretVariable(name: string, value: string): boolean {
  return looksSecret(value, name) || SECRET_NAME.test(name);
}

/** Names that hold keys without saying "secret": `STRIPE_KEY`, `DB_PASS`, `GH_PAT`. */
const SECRET_NAME = /(?:^|_)(?:KEY|PASS|PASSWD|PASSPHRASE|PAT|CREDENTIALS?)$/i;
const SYSTEM_ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
