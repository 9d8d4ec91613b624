import type { Diagnostic } from '@millforge/contracts';
import type { CompileTarget } from '../compile-request.ts';
import type { Finding } from '../read/word-findings.ts';
import type { ResolvedHarness } from '../resolve/resolved-harness.ts';
import { checkArguments } from './check-arguments.ts';
import { checkArtifacts, type ProducerEvidence } from './check-artifacts.ts';
import { checkCapabilities } from './check-capabilities.ts';
import { checkConstraints } from './check-constraints.ts';
import { checkDispositions } from './check-dispositions.ts';
import { checkGraph } from './check-graph.ts';
import { checkObligations } from './check-obligations.ts';
import { checkTerminalSchemas } from './check-terminal-schemas.ts';
import { checkTerminals } from './check-terminals.ts';
import { toHarnessGraph } from './harness-graph.ts';

/** What the checks worked out on their way. */
export interface CheckedFacts {
  /** Union of what the resolved tools need, sorted. */
  readonly requiredCapabilities: readonly string[];
  /** Who makes which artifact. */
  readonly producerEvidence: readonly ProducerEvidence[];
}

/** What the checks worked out, and what they found. */
export interface CheckResult {
  /** What was worked out. */
  readonly facts: CheckedFacts;
  /** What can be wrong thousands of times, one list per phase; none of it is a warning. */
  readonly findings: readonly (readonly Finding[])[];
  /** What else is wrong, and warnings. */
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
    ...checkArguments(harness, graph),
  ];
  const capabilities = checkCapabilities(harness, target.grants);
  const dispositions = checkDispositions(harness);
  const isGraphRight =
    graphFindings.length === 0 && !dispositions.some(({ severity }) => severity === 'error');
  const artifacts = checkArtifacts(harness, graph, isGraphRight);
  return {
    facts: {
      requiredCapabilities: capabilities.requiredCapabilities,
      producerEvidence: artifacts.evidence,
    },
    findings: [graphFindings, artifacts.findings],
    diagnostics: [
      ...dispositions,
      ...checkTerminalSchemas(harness.nodes),
      ...capabilities.diagnostics,
      ...checkConstraints(harness, capabilities.requiredCapabilities, target.grants),
    ],
  };
}
