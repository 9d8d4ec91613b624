import {
  type ArtifactRef,
  type ArtifactStore,
  type Clock,
  canonicalJson,
  deepFreeze,
  type Ids,
  MillforgeError,
} from '@millforge/contracts';
import type { Containment, ContainmentTopic } from '../containment.ts';
import type { Sandbox } from '../sandbox.ts';
import { createCanary } from './canary.ts';
import { probeCommands } from './probe-commands.ts';
import { probeFunctions } from './probe-functions.ts';
import { type ReachedThings, type ReachReport, reachReportJson } from './reach-report.ts';

/** What is measured, and where the report is kept. */
export interface MeasureReachOptions {
  /** Whether functions are measured, or commands. */
  readonly of: 'functions' | 'commands';
  /** Time. */
  readonly clock: Clock;
  /** Names of canaries. */
  readonly ids: Ids;
  /** Where the report is stored; default nowhere. */
  readonly artifacts?: ArtifactStore;
}

/** A report, and what it is stored as. */
export interface MeasuredReach {
  /** What was reached. */
  readonly report: ReachReport;
  /** The stored report; null where no store was given. */
  readonly artifact: ArtifactRef | null;
}

/**
 * Finds out from inside what code in a sandbox can reach, by trying it on canaries that are watched from
 * outside, and holds that against what the tier claims.
 *
 * @throws `sandbox/unmeasured` where the sandbox does not run the probe.
 */
export async function measureReach(
  sandbox: Sandbox,
  options: MeasureReachOptions,
): Promise<MeasuredReach> {
  await using canary = await createCanary(options.ids);
  const probe = options.of === 'commands' ? probeCommands : probeFunctions;
  const { findings, result } = await probe(sandbox, canary);
  if (!('containment' in result)) {
    throw new MillforgeError('sandbox/unmeasured', `The probe did not run: ${result.message}`, {
      details: { kind: result.kind },
    });
  }
  const { containment } = result;
  const report: ReachReport = deepFreeze({
    kind: 'millforge_reach_report',
    schema_version: '1.0',
    tier: containment.tier,
    is_boundary: containment.isBoundary,
    measured_at: new Date(options.clock.now()).toISOString(),
    reached: findings.reached,
    environment_names: findings.environmentNames,
    user_id: findings.userId,
    interfaces: findings.interfaces,
    visible_processes: findings.visibleProcesses,
    contradictions: contradictions(containment, findings.reached),
  });
  const bytes = new TextEncoder().encode(canonicalJson(reachReportJson(report)));
  const artifact = await options.artifacts?.put(bytes, {
    mediaType: 'application/json',
    maxBytes: REPORT_BYTES,
  });
  return { report, artifact: artifact ?? null };
}

function contradictions(
  { holds }: Containment,
  reached: ReachedThings,
): readonly ContainmentTopic[] {
  const claims: readonly (readonly [ContainmentTopic, boolean | null])[] = [
    ['read-host-files', reached.host_file_read],
    ['write-host-files', reached.host_file_written],
    ['see-host-processes', reached.host_process],
    ['use-network', reached.host_loopback],
    ['reach-rare-system-calls', reached.user_namespace],
  ];
  return claims.flatMap(([topic, isReached]) =>
    isReached === true && holds[topic].stops ? [topic] : [],
  );
}

const REPORT_BYTES = 65_536;
