import type { Scenario } from './scenario.ts';

/** The shortest lease that a contract may ask for. */
export const LEASE_MS = 1000;

/** A goal whose leases soon run out. */
export function shortLeases(scenario: Scenario): Scenario {
  const { contract } = scenario;
  const tasks = contract.tasks.map((task) => ({ ...task, lease_ms: LEASE_MS }));
  return { ...scenario, contract: { ...contract, tasks } };
}
