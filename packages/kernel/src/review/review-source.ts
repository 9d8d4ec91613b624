import type { JsonObject } from '@millforge/contracts';

/** Where the reviewed bytes come from. It is read once, when they are captured, and never again. */
export interface ReviewSource {
  /** What it is, exactly, as far as it can be said before it is read; part of the contract. */
  readonly identity: JsonObject;
  /** Opens it for the capture. */
  open(options: { readonly signal: AbortSignal }): Promise<SourceTree>;
}

/** An open source: one state of a tree. */
export interface SourceTree extends AsyncDisposable {
  /** What the tree is, in words that find it again: `git:<commit>`, `tree:<digest>`. */
  readonly revision: string;
  /** What is in it, by path in the order of code units. */
  readonly entries: AsyncIterable<SourceEntry> | Iterable<SourceEntry>;
  /**
   * The earlier state, as it was named, since which a file or folder that is no entry did not change; null for one that is not in
   * the revision. Only where the entries are what changed.
   */
  unchangedSince?(path: string): string | null;
}

/** One entry of an open source. */
export type SourceEntry =
  | {
      readonly kind: 'file';
      /** Path in the tree, with `/`. */
      readonly path: string;
      /** Number of its bytes. */
      readonly bytes: number;
      /** Reads it; null when its bytes are not there. */
      read(): Promise<Uint8Array | null>;
      /** Reads what stood there earlier, where the source knows an earlier state; null when nothing did. */
      readEarlier?(): Promise<Uint8Array | null>;
    }
  | {
      /** What cannot be captured. */
      readonly kind: 'other';
      /** Path in the tree, with `/`. */
      readonly path: string;
      /** What it is. */
      readonly reason: 'link' | 'submodule' | 'special' | 'unreadable' | 'name-not-text';
    };
