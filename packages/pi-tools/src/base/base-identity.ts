/** What names the preset and its parts; each is stable for as long as its meaning is. */
export const BASE_IDENTITY = Object.freeze({
  runnerId: 'millforge-base',
  runnerVersion: 2,
  configId: 'millforge-base.v1',
  harnessId: 'millforge.base.unrestricted_agent.v1',
  harnessVersion: 1,
  toolPackId: 'millforge.toolpack.pi_compat.unrestricted.v1',
  toolPackVersion: 1,
  stageKindId: 'millforge_base',
  promptPolicyId: 'millforge.base.prompt.v1',
  promptContract: 'millforge-base.prompt.v1',
  contextContract: 'millforge-base.context.v1',
});

/**
 * The four capabilities of millforge-base, sorted. They leave nothing out: whoever grants them lets the
 * model read, change and start whatever the user of the process may.
 */
export const BASE_GRANTS: readonly string[] = Object.freeze([
  'terminal.intent',
  'unrestricted.filesystem.read',
  'unrestricted.filesystem.write',
  'unrestricted.process.execute',
]);
