import type { JsonObject } from '@millforge/contracts';
import type { ContainmentTopic, SandboxTier } from '../containment.ts';

/** What code inside a sandbox could reach, as it was tried; a document to keep beside a verdict. */
export interface ReachReport {
  /** Type of this document. */
  readonly kind: 'millforge_reach_report';
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Where the code ran. */
  readonly tier: SandboxTier;
  /** Whether the tier is a security boundary at all. */
  readonly is_boundary: boolean;
  /** When it was measured, UTC. */
  readonly measured_at: string;
  /** What was tried; null where it could not be tried, which is no pass. */
  readonly reached: ReachedThings;
  /** Names of environment variables that the code saw, sorted; null where it could not look. */
  readonly environment_names: readonly string[] | null;
  /** User that the code took itself for. */
  readonly user_id: number | null;
  /** Network interfaces that it saw, sorted. */
  readonly interfaces: readonly string[] | null;
  /** Processes that it saw, itself included. */
  readonly visible_processes: number | null;
  /** Topics that the table of the tier calls stopped and that were reached all the same; should be empty. */
  readonly contradictions: readonly ContainmentTopic[];
}

/** Attempts of a probe, each tried for real and judged from outside where that is possible. */
export interface ReachedThings {
  /** Read a file of the host that nothing bound. */
  readonly host_file_read: boolean | null;
  /** Left a file at a place of the host that nothing bound. */
  readonly host_file_written: boolean | null;
  /** Saw the process of the host program. */
  readonly host_process: boolean | null;
  /** Connected to a listener on the host's loopback. */
  readonly host_loopback: boolean | null;
  /** Started a process. */
  readonly process_start: boolean | null;
  /** Made a user namespace of its own. */
  readonly user_namespace: boolean | null;
}

/** The report as plain JSON, for canonical bytes. */
export function reachReportJson(report: ReachReport): JsonObject {
  return {
    ...report,
    reached: { ...report.reached },
    environment_names: report.environment_names && [...report.environment_names],
    interfaces: report.interfaces && [...report.interfaces],
    contradictions: [...report.contradictions],
  };
}
