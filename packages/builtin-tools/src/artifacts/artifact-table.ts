/** An artifact that tools write, and how its tools speak of it. */
export interface ManagedArtifact {
  /** Id, and the end of the names of its tools. */
  readonly id: string;
  /** What it is, in the descriptions of its tools. */
  readonly meaning: string;
  /** Name of the argument that holds its content; null for one that is captured. */
  readonly argument: string | null;
  /** Whether a tool of its own reads it; what only ends a run has none. */
  readonly isRead: boolean;
}

/** The artifacts that have tools of their own, in the order of these tools. */
export const ARTIFACTS: readonly ManagedArtifact[] = [
  { id: 'plan', meaning: 'the plan', argument: 'plan', isRead: true },
  {
    id: 'patch_summary',
    meaning: 'the summary of the change',
    argument: 'summary',
    isRead: true,
  },
  { id: 'test_results', meaning: 'the test results', argument: 'results', isRead: true },
  {
    id: 'workspace_diff',
    meaning: 'the diff of the workspace since the run began',
    argument: null,
    isRead: true,
  },
  {
    id: 'checker_verdict',
    meaning: 'the verdict of the checker',
    argument: 'verdict',
    isRead: true,
  },
  {
    id: 'arbiter_verdict',
    meaning: 'the verdict of the arbiter',
    argument: 'verdict',
    isRead: false,
  },
];

/** Media type of all of them. */
export const ARTIFACT_MEDIA_TYPE = 'text/markdown';

/** Bytes that one of them may have. */
export const MAX_ARTIFACT_BYTES = 16 * 1024 * 1024;
