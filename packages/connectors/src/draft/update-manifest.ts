import { canonicalJson, type JsonValue } from '@millforge/contracts';
import type {
  ConnectorAdmissionManifest,
  ConnectorToolSelection,
} from '../admission/admission-manifest.ts';
import { approvalWord } from '../admission/approval-word.ts';
import type { DiscoveryChange } from './diff-discoveries.ts';
import type { ManifestDraft } from './draft-manifest.ts';

/** A manifest that was brought up to date, and what that changed in it. */
export interface UpdatedManifest {
  /** The manifest for what was discovered. */
  readonly manifest: ConnectorAdmissionManifest;
  /** What is different, in words. */
  readonly changes: readonly DiscoveryChange[];
}

/**
 * Brings a manifest to a newer draft and keeps what a person decided: selections and their words, denials and
 * their reasons. Tools that are new are denied, what the server no longer has is left out.
 *
 * Pins of selected tools stay: what the server changed in one of them is not admitted by this.
 */
export function updateManifest(
  kept: ConnectorAdmissionManifest,
  draft: ManifestDraft,
): UpdatedManifest {
  const pins = new Map(draft.proposals.map((one) => [one.provider_tool_name, one.raw_tool_sha256]));
  const isThere = (tool: { readonly provider_tool_name: string }): boolean =>
    pins.has(tool.provider_tool_name);
  const decided = new Set(
    [...kept.selected_tools, ...kept.denied_tools].map((tool) => tool.provider_tool_name),
  );
  const added = draft.manifest.denied_tools.filter((tool) => !decided.has(tool.provider_tool_name));
  const changed = kept.selected_tools.filter(
    ({ provider_tool_name: name, expected_raw_tool_sha256: pin }) =>
      pin !== null && pins.has(name) && pins.get(name) !== pin,
  );
  const gone = [...kept.selected_tools, ...kept.denied_tools].filter((tool) => !isThere(tool));
  return {
    manifest: {
      ...draft.manifest,
      selected_tools: kept.selected_tools.filter(isThere),
      denied_tools: [...kept.denied_tools.filter(isThere), ...added],
      admitted_prompts: kept.admitted_prompts,
      admitted_resources: kept.admitted_resources,
      policy_metadata: kept.policy_metadata,
    },
    changes: [
      ...added.map((tool) => change(tool, 'added', 'The server has it now; it is denied.')),
      ...gone.map((tool) => change(tool, 'removed', 'The server has it no more; it is left out.')),
      ...changed.map((tool) =>
        change(tool, 'changed', 'The server changed it after it was selected.'),
      ),
    ],
  };
}

/** What the operator says differently in a manifest than before, beside digests. */
export function diffManifests(
  before: ConnectorAdmissionManifest,
  after: ConnectorAdmissionManifest,
): readonly DiscoveryChange[] {
  const old = new Map(before.selected_tools.map((tool) => [tool.provider_tool_name, tool]));
  const now = new Map(after.selected_tools.map((tool) => [tool.provider_tool_name, tool]));
  return [
    ...[...now.values()].flatMap((tool): readonly DiscoveryChange[] => {
      const was = old.get(tool.provider_tool_name);
      if (was === undefined) return [change(tool, 'added', 'It is selected now.')];
      return diffSelection(was, tool).map((message) => change(tool, 'changed', message));
    }),
    ...[...old.values()]
      .filter((tool) => !now.has(tool.provider_tool_name))
      .map((tool) => change(tool, 'removed', 'It is selected no more.')),
  ];
}

function diffSelection(was: ConnectorToolSelection, is: ConnectorToolSelection): readonly string[] {
  return Object.entries(is).flatMap(([field, value]) => {
    if (field.startsWith('expected_')) return [];
    const words = (one: unknown): string =>
      textOf(field === 'approval_policy' ? approvalWord(String(one)) : one);
    const [before, after] = [words(was[field as keyof ConnectorToolSelection]), words(value)];
    if (before === after) return [];
    return [`Its ${field} was ${before.slice(0, 200)} and is ${after.slice(0, 200)}.`];
  });
}

function change(
  { provider_tool_name: subject }: { readonly provider_tool_name: string },
  kind: DiscoveryChange['kind'],
  message: string,
): DiscoveryChange {
  return { subject, kind, message };
}

function textOf(value: unknown): string {
  // A manifest is JSON: it was read from a document.
  return canonicalJson(JSON.parse(JSON.stringify(value)) as JsonValue, { newline: false });
}
