export type { CheckCommand, CheckExit, CheckRunner } from './develop/check-runner.ts';
export type {
  DevelopContract,
  DevelopCriterion,
  OptionalPhase,
  WorkPhase,
} from './develop/develop-contract.ts';
export type { DevelopHandoff, DevelopVerdict } from './develop/develop-handoff.ts';
export type { DevelopErrorCode } from './develop/error-codes.ts';
export type { TreeViolation } from './develop/look-at-trees.ts';
export type { MadeHandoff } from './develop/make-handoff.ts';
export { type Develop, type OpenDevelopOptions, openDevelop } from './develop/open-develop.ts';
export type {
  PhaseContext,
  PhaseReport,
  PhaseWorker,
  Shortfall,
} from './develop/phase-worker.ts';
export type { TreeChange } from './develop/tree/captured-tree.ts';
export type { CriterionResult, PatchFacts } from './develop/verify-evidence.ts';
