import { type Clock, createRedactor, type Ids } from '@millforge/contracts';
import { createArtifactFiles } from './artifacts/artifact-files.ts';
import { createKernel } from './create-kernel.ts';
import type { Failpoint } from './failpoints.ts';
import type { Kernel } from './kernel.ts';
import type { KernelObserver } from './observer.ts';
import { createOnlooker } from './owner/onlooker.ts';
import { type Owner, registerOwner } from './owner/owner.ts';
import type { RunParts } from './run/run-parts.ts';
import { createUnsettledActs } from './run/unsettled-acts.ts';
import { readOnlyTrail } from './sqlite/open-to-look.ts';
import type { StoreFile } from './sqlite/store-file.ts';
import type { KernelStore } from './store/kernel-store.ts';

/** What {@link openKernelOnStore} needs. */
export interface OpenKernelOnStoreOptions {
  /** Where everything is remembered; it is closed with the kernel. */
  readonly store: KernelStore;
  /** Directory of the bytes of artifacts, on a local disk; made at the first of them. */
  readonly artifacts: string;
  /** Wall and monotonic time. */
  readonly clock: Clock;
  /** Source of fresh names. */
  readonly ids: Ids;
  /** Called before and after every act; what a store calls around its own writes is its affair. */
  readonly failpoint?: (name: Failpoint) => void;
  /** How long aborted work is waited for; default 5 s. */
  readonly graceMs?: number;
  /** Told what runs in this process, without content. Default nobody. */
  readonly observer?: KernelObserver;
}

/**
 * Opens a kernel on a store of one's own, and registers this process as an owner.
 *
 * What is done with files, `backup`, `collectArtifacts`, `examine` and publications, throws `kernel/no-file`.
 */
export async function openKernelOnStore(options: OpenKernelOnStoreOptions): Promise<Kernel> {
  return startKernel(options, { file: null });
}

/** Starts a kernel on a store, with the file behind it if there is one. */
export async function startKernel(
  options: OpenKernelOnStoreOptions,
  {
    file,
    prepare,
  }: {
    readonly file: StoreFile | null;
    /** What is done once this process is known under its name, and before anything runs. */
    readonly prepare?: (ownerId: string) => Promise<void>;
  },
): Promise<Kernel> {
  const owner = await registerOwner(options);
  await prepare?.(owner.id);
  return createKernel(partsOf(options, owner), file);
}

/** Starts a kernel that only looks at the file of a store. */
export function startOnlooker(options: OpenKernelOnStoreOptions, file: StoreFile): Kernel {
  const { path } = file.db;
  const parts = partsOf(options, createOnlooker(options.ids.newId('owner'), path));
  const put = async (): Promise<never> => {
    throw readOnlyTrail(path);
  };
  return createKernel({ ...parts, artifacts: { ...parts.artifacts, put } }, file);
}

function partsOf(options: OpenKernelOnStoreOptions, owner: Owner): RunParts {
  const { store, clock, ids, failpoint } = options;
  const reach = (name: Failpoint): void => failpoint?.(name);
  return {
    store,
    reach,
    clock,
    ids,
    owner,
    artifacts: createArtifactFiles({ directory: options.artifacts, ids, reach }),
    redactor: createRedactor(),
    graceMs: options.graceMs ?? 5000,
    unsettled: createUnsettledActs(),
    observer: options.observer ?? null,
    silences: new Map(),
  };
}
