import type { Diagnostic } from '@millforge/contracts';
import { asCalled } from '../output/own-name.ts';
import type { CliHost } from '../output/terminal.ts';
import type { ConnectorFolder } from './connector-folder.ts';

/** A finding of an admission with what to type, or to write where, against it. */
export function withAdmissionAdvice(
  diagnostic: Diagnostic,
  folder: ConnectorFolder,
  env: CliHost['env'],
): Diagnostic {
  const { name } = folder;
  const advice: { readonly [code: string]: string } = {
    'MF-C002_IDENTITY_INVALID':
      diagnostic.path === '/selected_tools'
        ? `'millforge connect draft ${name} --select TOOL' selects a tool.`
        : '',
    'MF-C007_EXPECTED_IDENTITY_MISMATCH': renewal(name),
    'MF-C009_ADMITTED_PROVIDER_TOOL_MISSING': `'millforge connect draft ${name}' leaves out what the server no longer has.`,
    'MF-C010_DENIED_TOOL_INVALID': `'millforge connect draft ${name}' leaves out what the server no longer has.`,
    'MF-C016_DESCRIPTION_REQUIRES_OPERATOR_TEXT': `Write in ${folder.path('manifest.json')}, in your own words, what the tool does.`,
    'MF-C018_CAPABILITY_UNKNOWN': `Add it to 'allowed_capability_ids' in ${folder.path('policy.json')}, if you agree.`,
    'MF-C019_APPROVAL_POLICY_INVALID': `Tools that do more than read take explicit or out_of_band; ${folder.path('policy.json')} may name others in 'side_effect_approval_matrix'.`,
    'MF-C021_HASH_MISMATCH': renewal(name),
    'MF-C023_HASH_REQUIRED': `'millforge connect admit ${name}' without --ci writes every digest into the manifest.`,
  };
  const hint = asCalled(advice[diagnostic.code] ?? '', env);
  return hint === '' || diagnostic.hint !== undefined ? diagnostic : { ...diagnostic, hint };
}

function renewal(name: string): string {
  return `Look at what changed, with 'millforge connect diff ${name}' and in the files; 'millforge connect admit ${name} --renew' then pins what is there now.`;
}
