import { looksSecret } from '@millforge/contracts';
import type { PiToolOptions } from '../pi-tool-options.ts';

/** The environment of commands: what the host gives, without what looks like a secret. */
export function shellEnvironment(options: PiToolOptions): Record<string, string> {
  const kept = new Set(options.keepVariables ?? []);
  const given = options.environment ?? SYSTEM_ENVIRONMENT;
  const judged = JUDGED.get(given) ?? new Map<string, Judged>();
  JUDGED.set(given, judged);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (kept.has(name) || !isSecretVariable(name, value, judged)) environment[name] = value;
  }
  return environment;
}

/** Name of the variable by which the processes of a call can be found again. */
export const CALL_KEY = 'MILLFORGE_CALL_KEY';

/** What was found of a value, which an environment mostly keeps from one command to the next. */
interface Judged {
  readonly value: string;
  readonly isSecret: boolean;
}

function isSecretVariable(name: string, value: string, judged: Map<string, Judged>): boolean {
  const before = judged.get(name);
  if (before?.value === value) return before.isSecret;
  const isSecret = looksSecret(value, name) || SECRET_NAME.test(name);
  judged.set(name, { value, isSecret });
  return isSecret;
}

const JUDGED = new WeakMap<object, Map<string, Judged>>();

/** Names that hold keys without saying "secret": `STRIPE_KEY`, `DB_PASS`, `GH_PAT`. */
const SECRET_NAME = /(?:^|_)(?:KEY|PASS|PASSWD|PASSPHRASE|PAT|CREDENTIALS?)$/i;
const SYSTEM_ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
