import type { JsonObject, JsonValue } from '@millforge/contracts';
import { describeGap } from './describe-gap.ts';
import { isTreePath } from './is-tree-path.ts';
import type { AcceptedFinding, FindingSeverity } from './review-finding.ts';
import type { ReviewReport } from './review-report.ts';

/**
 * Writes a review as a SARIF 2.1.0 log: a rule per role, a result per accepted finding, a notification per gap.
 *
 * Rejected findings are no results: they are told among the notifications. Every message says who claims it.
 */
export function renderSarif(report: ReviewReport): JsonObject {
  const places = new Map(report.files.map(({ path }, index) => [path, index]));
  const rules = report.roles.map(({ role }) => role);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'millforge review',
            rules: report.roles.map(({ role, origin }) => ({
              id: ruleOf(role),
              shortDescription: { text: `Looked for: ${role}.` },
              fullDescription: {
                text: `${CLAIMED_BY[origin]} Its quote stands in the revision; whether the claim is true, a person decides.`,
              },
              properties: { origin },
            })),
          },
        },
        originalUriBaseIds: { [BASE]: { description: { text: 'Root of the reviewed tree.' } } },
        artifacts: report.files.map(({ path, bytes, sha256 }) => ({
          location: { uri: uriOf(path), uriBaseId: BASE },
          length: bytes,
          hashes: { 'sha-256': sha256 },
        })),
        invocations: [
          {
            executionSuccessful: report.roles.every(({ failure }) => failure === null),
            toolExecutionNotifications: report.gaps.map((gap) => ({
              level: 'warning',
              message: { text: describeGap(gap, report) },
              descriptor: { id: gap.type },
              // An address that leaves the tree would open whatever stands there.
              ...('path' in gap && isTreePath(gap.path)
                ? { locations: [placeOf(gap.path, places)] }
                : {}),
            })),
          },
        ],
        columnKind: 'utf16CodeUnits',
        results: report.findings.map((finding) => resultOf(finding, { places, rules })),
        properties: {
          review_id: report.review_id,
          revision: report.revision,
          captured_revision: report.captured_revision,
          result: report.result,
        },
      },
    ],
  };
}

function resultOf(
  finding: AcceptedFinding,
  {
    places,
    rules,
  }: { readonly places: ReadonlyMap<string, number>; readonly rules: readonly string[] },
): JsonObject {
  const { path, start_line, end_line, quote } = finding;
  return {
    ruleId: ruleOf(finding.role),
    ruleIndex: rules.indexOf(finding.role),
    level: LEVEL[finding.severity],
    message: { text: `${CLAIMED_BY[finding.origin]} ${finding.claim}` },
    locations: [
      placeOf(path, places, {
        startLine: start_line,
        endLine: end_line,
        snippet: { text: quote },
      }),
    ],
    partialFingerprints: { 'millforgeQuote/v1': finding.quote_sha256 },
    properties: {
      finding_id: finding.finding_id,
      origin: finding.origin,
      severity: finding.severity,
    },
  };
}

function placeOf(
  path: string,
  places: ReadonlyMap<string, number>,
  region?: JsonObject,
): JsonValue {
  const index = places.get(path);
  return {
    physicalLocation: {
      artifactLocation: {
        uri: uriOf(path),
        uriBaseId: BASE,
        ...(index === undefined ? {} : { index }),
      },
      ...(region === undefined ? {} : { region }),
    },
  };
}

function ruleOf(role: string): string {
  return `review/${role}`;
}

/** A relative reference: a colon or a slash of the path must not look like a scheme or a root. */
function uriOf(path: string): string {
  return path
    .split('/')
    .map((part) => encodeURIComponent(Buffer.from(part).toString('utf8')))
    .join('/');
}

/** Who claims something, in the words that stand before every claim. */
export const CLAIMED_BY = {
  model: '[claimed by a model]',
  scripted: '[claimed by a script, no model looked]',
  host: '[claimed by the host]',
} as const;

const BASE = 'SRCROOT';

const LEVEL: Readonly<Record<FindingSeverity, 'note' | 'warning' | 'error'>> = {
  info: 'note',
  low: 'note',
  medium: 'warning',
  high: 'error',
  critical: 'error',
};
