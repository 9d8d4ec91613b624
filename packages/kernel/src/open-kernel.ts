import type { Kernel, OpenKernelOptions } from './kernel.ts';

/**
 * Opens the trail, making it when it is missing, and registers this process as an owner.
 *
 * Loads the SQLite driver on first use. Whoever opens a kernel disposes of it.
 */
export declare function openKernel(options: OpenKernelOptions): Promise<Kernel>;
