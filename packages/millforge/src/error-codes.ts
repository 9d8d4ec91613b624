/** Codes of the errors that this package throws. */
export type MillforgeErrorCode =
  /** A wrong task, time, workspace or run id. */
  | 'millforge/usage'
  /** A plan, harness, model or outcome is wrong; details hold what is known. */
  | 'millforge/document'
  /** The plan needs capabilities that were not granted; details name them. */
  | 'millforge/grants-missing'
  /** The plan was made for tools that are not here in that form; details name them. */
  | 'millforge/tools-missing'
  /** The variable that holds the model's key is empty. */
  | 'millforge/key-missing'
  /** Nothing is kept, so that there is nothing to resume, list or verify. */
  | 'millforge/no-trail'
  /** The signal was aborted before the run began. */
  | 'millforge/aborted'
  /** A request names another harness, plan, stage, profile or grants; `details.reason` says which. */
  | 'millforge/base-binding'
  /** The base was closed. */
  | 'millforge/closed'
  /** The run has ended, but its export could not be written. */
  | 'millforge/export-failed'
  /** Runs are refused on native Windows. */
  | 'millforge/unsupported-platform';
