export { type ManualClock, manualClock } from './testing/manual-clock.ts';
export { type MemoryTrail, memoryTrail, type TrailEntry } from './testing/memory-trail.ts';
export {
  type OperationLogSubject,
  type OperationLogSuite,
  operationLogConformance,
} from './testing/operation-log-conformance.ts';
export { sequentialIds } from './testing/sequential-ids.ts';
