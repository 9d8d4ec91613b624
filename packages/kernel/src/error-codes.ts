/** Codes of the errors that this package throws. */
export type KernelErrorCode =
  /** The SQLite driver is not installed or was not built. */
  | 'kernel/driver-missing'
  /** The file is not a database, or one of another program. */
  | 'kernel/not-a-trail'
  /** The file was written by a newer version. */
  | 'kernel/newer-schema'
  /** The file is older and a process that uses it still runs. */
  | 'kernel/owner-alive'
  /** The path leads to a directory, or through a file. */
  | 'kernel/path-invalid'
  /** The file system is shared over a network. */
  | 'kernel/network-file-system'
  /** File or directory may not be read or written. */
  | 'kernel/no-permission'
  /** File or file system is read-only. */
  | 'kernel/read-only'
  /** Another process kept the write lock too long. */
  | 'kernel/busy'
  /** The file is damaged. */
  | 'kernel/corrupt'
  /** The disk is full. */
  | 'kernel/disk-full'
  /** The disk failed. */
  | 'kernel/io'
  /** Nobody knows whether a commit became durable; the kernel closed. */
  | 'kernel/commit-unknown'
  /** The file was deleted, moved or replaced while it was open; the kernel closed. */
  | 'kernel/file-moved'
  /** SQLite refused a setting that durability needs. */
  | 'kernel/setting-refused'
  /** The kernel stands on a store without a file, and this is done with files. */
  | 'kernel/no-file'
  /** The kernel was closed. */
  | 'kernel/closed'
  /** The file is a backup; it opens only for whoever adopts it. */
  | 'kernel/is-backup'
  /** The goal was imported: it is read, never run or changed. */
  | 'kernel/imported'
  /** What is to be imported is no export, or does not hold. */
  | 'kernel/export-invalid'
  /** A call was given something that it does not take, such as a limit below 1. */
  | 'kernel/argument-invalid'
  /** The scope is incomplete. */
  | 'kernel/scope-invalid'
  /** The contract has errors; details hold the diagnostics. */
  | 'kernel/contract-invalid'
  /** Another contract has this goal id. */
  | 'kernel/goal-conflict'
  /** Nothing of that name is visible to this scope. */
  | 'kernel/not-found'
  /** The scope sees the goal and lacks the permission. */
  | 'kernel/not-permitted'
  /** Another run holds the goal. */
  | 'kernel/run-active'
  /** Another process took the goal over. */
  | 'kernel/lease-lost'
  /** No adapter has the name that the contract gives. */
  | 'kernel/adapter-missing'
  /** The goal ended. */
  | 'kernel/goal-ended'
  /** The goal or the hold changed since it was read. */
  | 'kernel/stale-version'
  /** The hold was decided before; details hold the decision. */
  | 'kernel/hold-decided'
  /** The hold does not take this decision. */
  | 'kernel/decision-not-allowed'
  /** The process that began the operation still lives. */
  | 'kernel/former-owner-alive'
  /** An operation or a log entry breaks the rules of the log. */
  | 'kernel/operation-invalid'
  /** A change of state that the table of transitions does not have. */
  | 'kernel/illegal-transition'
  /** What is to be published is described wrongly. */
  | 'kernel/intent-invalid'
  /** Only what a completed goal gave can be published. */
  | 'kernel/goal-not-completed'
  /** What is to be published is none of the goal's outputs. */
  | 'kernel/not-an-output'
  /** The publisher could never send what is to be published. */
  | 'kernel/payload-refused'
  /** The approval names another intent than the publication has. */
  | 'kernel/intent-mismatch'
  /** The publication stands where this is not possible; details hold its state. */
  | 'kernel/publication-not-allowed'
  /** The same thing was sent to the same place, and its end is not known. */
  | 'kernel/publication-in-flight'
  /** The approval was not used in time. */
  | 'kernel/approval-expired'
  /** The host does not confirm that whoever approved may still do so. */
  | 'kernel/approver-not-confirmed'
  /** The publisher cannot begin on this machine; the approval was not consumed. */
  | 'kernel/publisher-not-ready'
  /** The publisher is not the one that the intent names. */
  | 'kernel/publisher-mismatch';
