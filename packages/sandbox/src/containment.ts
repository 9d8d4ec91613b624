/** Where code runs. */
export type SandboxTier =
  /** JavaScript in QuickJS compiled to WebAssembly, in a child process of its own. */
  | 'quickjs'
  /** Commands in namespaces made by bubblewrap. */
  | 'bubblewrap'
  /** Commands in a container that an engine makes. */
  | 'container'
  /** Commands as processes of this host: no boundary. */
  | 'process';

/** What untrusted code might try, and what a tier may or may not stop. */
export type ContainmentTopic =
  | 'read-host-files'
  | 'write-host-files'
  | 'read-environment'
  | 'see-host-processes'
  | 'use-network'
  | 'exhaust-processes'
  | 'exhaust-memory'
  | 'exhaust-time'
  | 'exhaust-output'
  | 'exhaust-disk'
  | 'leave-orphans'
  | 'outlive-host'
  | 'forge-result'
  | 'trace-others'
  | 'reach-rare-system-calls';

/** What holds one topic. */
export interface Hold {
  /** Whether the attempt fails. */
  readonly stops: boolean;
  /** What stops it, or why nothing does; a few words. */
  readonly by: string;
}

/** What held during one run: part of every result, so that no report can claim more. */
export interface Containment {
  /** Where the code ran. */
  readonly tier: SandboxTier;
  /** Whether the tier is a security boundary at all. */
  readonly isBoundary: boolean;
  /** Topic by topic. */
  readonly holds: Readonly<Record<ContainmentTopic, Hold>>;
}

/** Makes the table of a tier. */
export function containment(
  tier: SandboxTier,
  holds: Readonly<Record<ContainmentTopic, Hold>>,
): Containment {
  return Object.freeze({ tier, isBoundary: tier !== 'process', holds: Object.freeze(holds) });
}

/** Says what stops an attempt. */
export function stopped(by: string): Hold {
  return Object.freeze({ stops: true, by });
}

/** Says why an attempt is not stopped. */
export function open(by: string): Hold {
  return Object.freeze({ stops: false, by });
}
