export { FAILPOINTS, type Failpoint } from './failpoints.ts';
export {
  type KernelStoreSubject,
  type KernelStoreSuite,
  kernelStoreConformance,
} from './testing/kernel-store-conformance.ts';
export { createMemoryStore, type MemoryStore } from './testing/memory-store.ts';
export {
  type PublisherSubject,
  type PublisherSuite,
  publisherConformance,
} from './testing/publisher-conformance.ts';
