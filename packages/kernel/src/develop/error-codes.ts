/** Codes of the errors and failures of a development. */
export type DevelopErrorCode =
  /** The contract is none; the details hold the diagnostics. */
  | 'develop/contract-invalid'
  /** A tree has an entry that cannot be captured. */
  | 'develop/tree-refused'
  /** A tree has too many entries or bytes. */
  | 'develop/tree-too-large'
  /** A tree kept changing while it was read. */
  | 'develop/unstable-tree'
  /** The goal is no development. */
  | 'develop/not-a-development'
  /** The development goes on and needs its work copy. */
  | 'develop/not-ended'
  /** A directory is no absolute path, is not there, or lies in another one. */
  | 'develop/place-invalid'
  /** A criterion names the protected checks, and none are given. */
  | 'develop/checks-missing'
  /** A captured tree is none, or not whole. */
  | 'develop/tree-invalid';
