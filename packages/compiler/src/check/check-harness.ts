import type { Diagnostic } from '@millforge/contracts';
import type { CompileTarget } from '../compile-request.ts';
import type { ResolvedHarness } from '../resolve/resolved-harness.ts';
import { checkArguments } from './check-arguments.ts';
import { checkArtifacts, type ProducerEvidence } from './check-artifacts.ts';
import { checkCapabilities } from './check-capabilities.ts';
import { checkConstraints } from './check-constraints.ts';
import { checkDispositions } from './check-dispositions.ts';
import { checkGraph } from './check-graph.ts';
import { checkObligations } from './check-obligations.ts';
import { checkTerminals } from './check-terminals.ts';
import { toHarnessGraph } from './harness-graph.ts';

/** What the checks found, and what they worked out on the way. */
export interface CheckResult {
  /** Union of what the resolved tools need, sorted. */
  readonly requiredCapabilities: readonly string[];
  /** Who makes which artifact. */
  readonly producerEvidence: readonly ProducerEvidence[];
  /** All findings. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Runs every semantic check on what did resolve; an unresolved name silences only what hangs on it. */
export function checkHarness(
  harness: ResolvedHarness,
  target: Pick<CompileTarget, 'legalTerminalResults' | 'grants'>,
): CheckResult {
  const graph = toHarnessGraph(harness);
  const graphFindings = [
    ...checkGraph(harness, graph),
    ...checkTerminals(harness.nodes, target.legalTerminalResults),
    ...checkObligations(harness.nodes),
    ...checkDispositions(harness),
    ...checkArguments(harness, graph),
  ];
  const capabilities = checkCapabilities(harness, target.grants);
  const isGraphRight = !graphFindings.some(({ severity }) => severity === 'error');
  const artifacts = checkArtifacts(harness, graph, isGraphRight);
  return {
    requiredCapabilities: capabilities.requiredCapabilities,
    producerEvidence: artifacts.evidence,
    diagnostics: [
      ...graphFindings,
      ...capabilities.diagnostics,
      ...checkConstraints(harness, capabilities.requiredCapabilities, target.grants),
      ...artifacts.diagnostics,
    ],
  };
}
