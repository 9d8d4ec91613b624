import { MillforgeError } from '@millforge/contracts';
import type { Kernel } from './kernel.ts';
import type { ActiveRuns } from './run/active-runs.ts';
import type { RunParts } from './run/run-parts.ts';
import type { Permission, Scope } from './scope.ts';
import type { StoreFile } from './sqlite/store-file.ts';

/** What the other entries of this package work with behind an open kernel. */
export interface KernelInternals {
  readonly parts: RunParts;
  /** The file that holds it all; a kernel on another store throws `kernel/no-file`. */
  readonly file: () => StoreFile;
  /** Refuses a scope that lacks a permission; what it cannot see is not found first. */
  readonly permit: (scope: Scope, permission: Permission, goalId: string | null) => Promise<void>;
  /** Counts something in that must have ended before the store is closed. */
  readonly enter: ActiveRuns['enter'];
}

/** Makes a kernel known to the other entries. */
export function keepInternals(kernel: Kernel, internals: KernelInternals): Kernel {
  INTERNALS.set(kernel, internals);
  return kernel;
}

/** What stands behind a kernel that this package opened. */
export function internalsOf(kernel: Kernel): KernelInternals {
  const internals = INTERNALS.get(kernel);
  if (internals !== undefined) return internals;
  throw new MillforgeError(
    'internal/kernel-foreign',
    'The kernel was opened by another copy of @millforge/kernel; keep one version of it installed.',
  );
}

const INTERNALS = new WeakMap<Kernel, KernelInternals>();
