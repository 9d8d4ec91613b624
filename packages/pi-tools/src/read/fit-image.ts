import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ImageMediaType } from '@millforge/contracts';
import { toolFault } from '../tool-fault.ts';

/** What became of an image: shown as it is, made anew, or why it cannot be shown. */
export type FittedImage =
  | { readonly kind: 'as-is' }
  | {
      readonly kind: 'made';
      readonly bytes: Uint8Array;
      readonly mediaType: ImageMediaType;
      /** Width and height, upright. */
      readonly original: readonly [number, number];
      /** Width and height of what is shown. */
      readonly shown: readonly [number, number];
    }
  /** It is no image, or a broken one, or one that cannot be made small enough. */
  | { readonly kind: 'unfit' };

/**
 * Brings an image within the limits of a request: sides of 2,000 pixels, 4.5 MiB of Base64.
 *
 * The decoder runs in a thread of its own, which ends with the call.
 */
export function fitImage(
  bytes: Uint8Array,
  { isShownAsIs, signal }: { readonly isShownAsIs: boolean; readonly signal: AbortSignal },
): Promise<FittedImage> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, {
      workerData: { bytes, isShownAsIs, ...LIMITS },
      env: {},
      execArgv: [],
      // The decoder writes there why it gave up.
      stderr: true,
      stdout: true,
    });
    const stop = () => end(() => reject(toolFault('cancelled', 'Operation aborted')));
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', stop);
      void worker.terminate().then(settle, settle);
    };
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', (fitted: FittedImage) => end(() => resolve(fitted)));
    // Out of memory, say, or stopped from inside: the image is to blame.
    worker.once('error', () => end(() => resolve({ kind: 'unfit' })));
    if (signal.aborted) stop();
  });
}

/** It lies beside this file, and beside the one that is built from all. */
const WORKER = join(import.meta.dirname, 'image-worker.mjs');
const LIMITS = { maxSide: 2000, maxCharacters: 4.5 * 1024 * 1024, maxPixels: 100_000_000 };
