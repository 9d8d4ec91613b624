import {
  canonicalJson,
  isArgumentName,
  type JsonSchema,
  type ToolCatalogEntry,
  withoutAnnotations,
} from '@millforge/contracts';
import { type ArgumentMatchFault, report } from '../diagnostics.ts';
import type { HarnessArgumentMatch } from '../harness-source.ts';
import { didYouMean, nearestName, quoted } from '../nearest-name.ts';
import type { Finding } from '../read/word-findings.ts';
import type { ResolvedHarness, ResolvedNode } from '../resolve/resolved-harness.ts';
import {
  type HarnessGraph,
  type WrittenPrerequisite,
  writtenPrerequisites,
} from './harness-graph.ts';

/** Checks that arguments which must agree exist, are always given, and have the same schema. */
export function checkArguments(harness: ResolvedHarness, graph: HarnessGraph): readonly Finding[] {
  const tools = new Map(harness.nodes.map((node) => [node.nodeId, node.tool]));
  return harness.nodes.flatMap((node) => {
    const { nodeId, tool: current } = node;
    if (current === null || node.source.prerequisites.length === 0) return [];
    const valid = new Set(graph.prerequisitesOf.get(nodeId));
    return [...matchesByPrerequisite(node)].flatMap(([prerequisite, matches]) => {
      const prior = valid.has(prerequisite) ? tools.get(prerequisite) : null;
      if (prior === null || prior === undefined) return [];
      return checkMatches(matches, { nodeId, prerequisite, prior, current });
    });
  });
}

function matchesByPrerequisite(node: ResolvedNode): ReadonlyMap<string, readonly PlacedMatch[]> {
  const matches = new Map<string, PlacedMatch[]>();
  for (const written of writtenPrerequisites(node)) {
    const known = matches.get(written.node_id);
    if (known === undefined) matches.set(written.node_id, placedMatches(written));
    else known.push(...placedMatches(written));
  }
  return matches;
}

/** Two nodes whose arguments are to agree. */
interface Pair {
  readonly nodeId: string;
  readonly prerequisite: string;
  readonly prior: ToolCatalogEntry;
  readonly current: ToolCatalogEntry;
}

function checkMatches(written: readonly PlacedMatch[], pair: Pair): readonly Finding[] {
  const matches = written.toSorted(byArguments);
  return matches.flatMap((match, index) =>
    faultsOf(match, matches.slice(0, index), pair).map(
      (fault): Finding => ({
        path: `${match.path}${FIELD_OF_FAULT[fault]}`,
        word: (place) =>
          report.invalidArgumentMatch({
            ...place,
            nodeId: pair.nodeId,
            related: [pair.prerequisite],
            hint: hintFor(fault, match, pair),
            fields: {
              fault,
              current_argument: match.current_argument,
              prerequisite: pair.prerequisite,
              prior_argument: match.prior_argument,
            },
          }),
      }),
    ),
  );
}

/** A match and where it is written. */
interface PlacedMatch extends HarnessArgumentMatch {
  readonly path: string;
}

function placedMatches({ argument_matches, path }: WrittenPrerequisite): PlacedMatch[] {
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

function hintFor(fault: ArgumentMatchFault, match: HarnessArgumentMatch, tools: Pair): string {
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
  tools: Pair,
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
