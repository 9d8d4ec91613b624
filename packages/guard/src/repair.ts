export type { JsonSchema } from '@millforge/contracts';
export type { ArgumentRepair } from './argument-repair.ts';
export type { SnapReach } from './names/snap-name.ts';
export { type RepairedArguments, type RepairOptions, repairArguments } from './repair-arguments.ts';
