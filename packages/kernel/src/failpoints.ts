/** Every durable write of the kernel. */
export const DURABLE_WRITES = [
  'migrate',
  'register-owner',
  'beat-owner',
  'release-owner',
  'admit-goal',
  'admit-attempt',
  'claim-attempt',
  'suspend-attempt',
  'fail-attempt',
  'record-result',
  'check-goal',
  'admit-operation',
  'readmit-operation',
  'doubt-operation',
  'record-operation',
  'open-hold',
  'decide-hold',
  'cancel-goal',
  'refuse-result',
  'save-artifact',
] as const;

/** Everything that is called with an effect of its own. */
export const ACTS = ['act', 'before', 'reconcile', 'write-artifact', 'link-artifact'] as const;

/** A named place before or after a durable write or an act. */
export type Failpoint = `${'before' | 'after'}:${DurableWrite | Act}`;

/** Name of a durable write. */
export type DurableWrite = (typeof DURABLE_WRITES)[number];

/** Name of an act. */
export type Act = (typeof ACTS)[number];

/** Every failpoint. */
export const FAILPOINTS: readonly Failpoint[] = [...DURABLE_WRITES, ...ACTS].flatMap(
  (name): Failpoint[] => [`before:${name}`, `after:${name}`],
);
