/** A named place before or after a durable write or an act. */
export type Failpoint = `${'before' | 'after'}:${
  | 'migrate'
  | 'register-owner'
  | 'beat-owner'
  | 'release-owner'
  | 'admit-goal'
  | 'admit-attempt'
  | 'claim-attempt'
  | 'begin-attempt'
  | 'doubt-attempt'
  | 'resolve-attempt'
  | 'suspend-attempt'
  | 'fail-attempt'
  | 'record-result'
  | 'check-goal'
  | 'admit-operation'
  | 'readmit-operation'
  | 'doubt-operation'
  | 'record-operation'
  | 'open-hold'
  | 'decide-hold'
  | 'cancel-goal'
  | 'refuse-result'
  | 'save-artifact'
  | 'pin-artifact'
  | 'collect-artifacts'
  | 'import-trail'
  | 'adopt-backup'
  | 'intend-publication'
  | 'approve-publication'
  | 'revoke-publication'
  | 'send-publication'
  | 'settle-publication'
  | 'act'
  | 'before'
  | 'reconcile'
  | 'write-artifact'
  | 'link-artifact'
  | 'publish'
  | 'inspect'}`;

type Place<Name> = Name extends `before:${infer Rest}` ? Rest : never;

const ACTS = [
  'act',
  'before',
  'reconcile',
  'write-artifact',
  'link-artifact',
  'publish',
  'inspect',
] as const;

/** Name of a durable write. */
export type DurableWrite = Exclude<Place<Failpoint>, (typeof ACTS)[number]>;

const DURABLE_WRITES: readonly DurableWrite[] = [
  'migrate',
  'register-owner',
  'beat-owner',
  'release-owner',
  'admit-goal',
  'admit-attempt',
  'claim-attempt',
  'begin-attempt',
  'doubt-attempt',
  'resolve-attempt',
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
  'pin-artifact',
  'collect-artifacts',
  'import-trail',
  'adopt-backup',
  'intend-publication',
  'approve-publication',
  'revoke-publication',
  'send-publication',
  'settle-publication',
];

/** Every failpoint: two for each durable write and for each act. */
export const FAILPOINTS: readonly Failpoint[] = [...DURABLE_WRITES, ...ACTS].flatMap(
  (name): Failpoint[] => [`before:${name}`, `after:${name}`],
);
