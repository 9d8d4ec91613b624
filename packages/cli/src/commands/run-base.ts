import { realpath } from 'node:fs/promises';
import { parseModelReference } from '@millforge/models';
import { documentError, usageError } from '../cli-error.ts';
import type { EffectiveConfig } from '../config/effective-config.ts';
import { openTrustStore } from '../config/trust-store.ts';
import type { CompileSelection } from '../documents/compile-options.ts';
import { modelSetting } from '../documents/model-setting.ts';
import { type CliHost, writeLine } from '../output/terminal.ts';
import type { BasePort } from '../port/base-port.ts';
import type { MillforgePort } from '../port/millforge-port.ts';
import { isConfirmed } from './configured.ts';

/** The word that stands for millforge-base where a harness is named; a file of that name is `./base`. */
export const BASE_WORD = 'base';

/** Refuses options that belong to a source: the base brings all of that itself. */
export function assertBaseOptions(selection: CompileSelection): void {
  const [given] = selection.given;
  if (given === undefined) return;
  throw usageError(`--${given} goes with a harness of your own; 'run base' brings its own.`);
}

/** A project in which the base works. */
export interface BaseProject {
  /** The configuration in force. */
  readonly config: EffectiveConfig;
  /** Folder of the project, absolute. */
  readonly workspace: string;
}

/**
 * Composes millforge-base for a project, and says what the model is told and what it may do.
 *
 * @throws `cli/document` with the missing grants where nobody can be asked, or the answer is no.
 */
export async function prepareBase(
  host: CliHost,
  millforge: MillforgePort,
  project: BaseProject,
): Promise<BasePort> {
  const { config, workspace } = project;
  const model = await modelSetting(config, profileIdOf(config), host);
  const base = await millforge.openBase({ cwd: workspace, model });
  for (const { path, bytes, truncated } of base.contextFiles) {
    writeLine(host.stderr, `instructions ${path} (${bytes} bytes${truncated ? ', cut' : ''})`);
  }
  for (const line of base.diagnostics) writeLine(host.stderr, `note: ${line}`);
  await confirmGrants(host, base, project);
  return base;
}

// The one that is named, else the only one there is.
function profileIdOf({ model, profiles }: EffectiveConfig): string {
  const reference = model === null ? null : parseModelReference(model.reference);
  if (reference?.kind === 'profile') return reference.profileId;
  const [only] = profiles;
  return reference === null && only !== undefined && profiles.length === 1
    ? only.profile_id
    : 'millforge.base';
}

// Confirmed once for a project, by a person, where they were not given.
async function confirmGrants(host: CliHost, base: BasePort, project: BaseProject): Promise<void> {
  const { config, workspace } = project;
  const { grants } = base;
  writeLine(host.stderr, `millforge-base is not sandboxed and uses ${grants.join(', ')}.`);
  const missing = grants.filter((id) => !config.grants.includes(id));
  if (missing.length === 0) return;
  const store = openTrustStore(config.trustDirectory);
  // The folder itself, so that it is no path of a configuration; other grants ask again.
  const place = await realpath(workspace).catch(() => workspace);
  const accepted = `millforge-base ${grants.join(' ')}`;
  if (await store.isTrusted(place, accepted)) return;
  if (host.canAsk) {
    const question = `Let a model read, change and start anything that you may, working in ${place}?`;
    if (await isConfirmed(host, question)) return store.accept(place, accepted);
  }
  // All of them: a flag takes the place of the configuration's grants.
  throw documentError(
    `The run needs ${missing.length === 1 ? 'a capability' : 'capabilities'} that it was not granted: ${missing.join(', ')}; give ${grants.map((id) => `--grant ${id}`).join(' ')}.`,
  );
}
