import {
  canonicalJson,
  type Diagnostic,
  type JsonSchema,
  type ToolCatalogEntry,
} from '@millforge/contracts';
import { type ArgumentMatchFault, report } from '../diagnostics.ts';
import type { HarnessArgumentMatch } from '../harness-source.ts';
import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';
import type { HarnessGraph } from './harness-graph.ts';

/** Checks that arguments which must agree exist, are always given, and have the same schema. */
export function checkArguments(
  harness: ResolvedHarness,
  graph: HarnessGraph,
): readonly Diagnostic[] {
  const nodes = new Map(harness.nodes.map((node) => [node.nodeId, node]));
  return harness.nodes.flatMap((node) =>
    (graph.prerequisitesOf.get(node.nodeId) ?? []).flatMap((prerequisite) => {
      const prior = nodes.get(prerequisite)?.tool ?? null;
      return prior === null || node.tool === null
        ? []
        : checkPrerequisite(node, prerequisite, { prior, current: node.tool });
    }),
  );
}

interface Tools {
  readonly prior: ToolCatalogEntry;
  readonly current: ToolCatalogEntry;
}

function checkPrerequisite(
  node: ResolvedNode,
  prerequisite: string,
  tools: Tools,
): readonly Diagnostic[] {
  const matches = node.source.prerequisites
    .filter((item) => item.node_id === prerequisite)
    .flatMap((item) => item.argument_matches)
    .toSorted(byArguments);
  return matches.flatMap((match, index) =>
    faultsOf(match, matches.slice(0, index), tools).map((fault) =>
      report.invalidArgumentMatch({
        path: '/',
        nodeId: node.nodeId,
        related: [prerequisite],
        fields: {
          fault,
          current_argument: match.current_argument,
          prerequisite,
          prior_argument: match.prior_argument,
        },
      }),
    ),
  );
}

function byArguments(left: HarnessArgumentMatch, right: HarnessArgumentMatch): number {
  if (left.prior_argument !== right.prior_argument) {
    return left.prior_argument < right.prior_argument ? -1 : 1;
  }
  return left.current_argument < right.current_argument ? -1 : 1;
}

function faultsOf(
  match: HarnessArgumentMatch,
  earlier: readonly HarnessArgumentMatch[],
  tools: Tools,
): readonly ArgumentMatchFault[] {
  const { prior_argument: prior, current_argument: current } = match;
  const faults: ArgumentMatchFault[] = [];
  if (
    earlier.some((other) => other.prior_argument === prior && other.current_argument !== current)
  ) {
    faults.push('fan-out');
  }
  if (
    earlier.some((other) => other.current_argument === current && other.prior_argument !== prior)
  ) {
    faults.push('fan-in');
  }
  const mismatch = mismatchOf(argumentOf(tools.prior, prior), argumentOf(tools.current, current));
  return mismatch === null ? faults : [...faults, mismatch];
}

interface Argument {
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

function argumentOf({ input_schema: schema }: ToolCatalogEntry, name: string): Argument | null {
  if (!('properties' in schema) || !Object.hasOwn(schema.properties, name)) return null;
  const property = schema.properties[name];
  return property === undefined
    ? null
    : { schema: property, isRequired: schema.required.includes(name) };
}

function mismatchOf(prior: Argument | null, current: Argument | null): ArgumentMatchFault | null {
  if (prior === null) return 'unknown-prior';
  if (current === null) return 'unknown-current';
  if (!prior.isRequired) return 'optional-prior';
  if (!current.isRequired) return 'optional-current';
  return canonicalJson(prior.schema) === canonicalJson(current.schema) ? null : 'incompatible';
}
