import {
  canonicalJson,
  type Diagnostic,
  isArgumentName,
  type JsonSchema,
  type ToolCatalogEntry,
  withoutAnnotations,
} from '@millforge/contracts';
import { type ArgumentMatchFault, report } from '../diagnostics.ts';
import type { HarnessArgumentMatch } from '../harness-source.ts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';
import {
  type HarnessGraph,
  type WrittenPrerequisite,
  writtenPrerequisites,
} from './harness-graph.ts';

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
  const matches = writtenPrerequisites(node)
    .filter((item) => item.node_id === prerequisite)
    .flatMap(placedMatches)
    .toSorted(byArguments);
  return matches.flatMap((match, index) =>
    faultsOf(match, matches.slice(0, index), tools).map((fault) =>
      report.invalidArgumentMatch({
        path: `${match.path}${FIELD_OF_FAULT[fault]}`,
        nodeId: node.nodeId,
        related: [prerequisite],
        hint: hintFor(fault, match, tools),
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

/** A match and where it is written. */
interface PlacedMatch extends HarnessArgumentMatch {
  readonly path: string;
}

function placedMatches({ argument_matches, path }: WrittenPrerequisite): readonly PlacedMatch[] {
  return argument_matches.map((match, index) => ({
    ...match,
    path: `${path}/argument_matches/${index}`,
  }));
}

const FIELD_OF_FAULT: { readonly [Fault in ArgumentMatchFault]: string } = {
  'fan-out': '/prior_argument',
  'fan-in': '/current_argument',
  'unknown-prior': '/prior_argument',
  'unknown-current': '/current_argument',
  'optional-prior': '/prior_argument',
  'optional-current': '/current_argument',
  incompatible: '',
};

function hintFor(fault: ArgumentMatchFault, match: HarnessArgumentMatch, tools: Tools): string {
  const isPrior = FIELD_OF_FAULT[fault] === '/prior_argument';
  const tool = isPrior ? tools.prior : tools.current;
  if (fault === 'fan-out' || fault === 'fan-in') return 'Match each argument with one other only.';
  if (fault === 'incompatible') {
    return 'The schemas of both arguments must be equal, also in the order of an enum: match another argument.';
  }
  const names = argumentNamesOf(tool);
  if (fault === 'unknown-prior' || fault === 'unknown-current') {
    const nearest = nearestName(names)(isPrior ? match.prior_argument : match.current_argument);
    if (nearest !== null) return didYouMean(nearest);
    return names.length === 0
      ? `The tool ${tool.tool_id} takes no arguments: remove the match.`
      : `The tool ${tool.tool_id} takes ${quoted(names)}.`;
  }
  const always = argumentNamesOf(tool, { onlyRequired: true });
  return always.length === 0
    ? `The tool ${tool.tool_id} requires none of its arguments: remove the match.`
    : `The tool ${tool.tool_id} always gets ${quoted(always)}: match one of those.`;
}

/** Only names by the grammar of the source: a schema may hold any text, and no other can be written. */
function argumentNamesOf(
  { input_schema: schema }: ToolCatalogEntry,
  { onlyRequired = false } = {},
): readonly string[] {
  if (!('properties' in schema)) return [];
  const names = onlyRequired ? schema.required : Object.keys(schema.properties).toSorted();
  return names.filter(isArgumentName);
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
  // Annotations bind nothing: the values that both accept are the same.
  const [left, right] = [prior, current].map(({ schema }) =>
    canonicalJson(withoutAnnotations(schema)),
  );
  return left === right ? null : 'incompatible';
}
