import {
  boundDiagnostics,
  type Diagnostic,
  deepFreeze,
  descriptorDigest,
  type ToolDescriptor,
} from '@millforge/contracts';
import { found } from '../diagnostics.ts';
import { readDiscoverySnapshot } from '../discovery/discovery-snapshot.ts';
import { type DiscoveredProviderTool, providerToolDigests } from '../discovery/provider-tool.ts';
import { childPath } from '../documents/field-reader.ts';
import type { AdmissionDocuments } from './admission-documents.ts';
import type { ConnectorToolSelection } from './admission-manifest.ts';
import { readAdmissionPolicy } from './admission-policy.ts';
import {
  type ConnectorAdmissionRecord,
  createAdmissionRecord,
  recordDigest,
} from './admission-record.ts';
import { checkConnector } from './check-connector.ts';
import { findMissingHashes } from './find-missing-hashes.ts';
import { makeDescriptor } from './make-descriptor.ts';
import { type AdmittedForms, makeForms } from './provider-forms.ts';
import { readAdmissionManifest } from './read-admission-manifest.ts';

/** The three documents of an admission; each is read again, whoever read it before. */
export interface AdmissionInput {
  /** What the server has: evidence. */
  readonly snapshot: unknown;
  /** What the operator wants of it. */
  readonly manifest: unknown;
  /** What may be wanted at all. */
  readonly policy: unknown;
}

/** What came of an admission: all of it, or nothing and why. */
export interface AdmissionResult {
  /** Whether everything that the manifest wants was let in. */
  readonly accepted: boolean;
  /** Descriptors of the tools, by the names that the server gives them. */
  readonly descriptors: readonly ToolDescriptor[];
  /** Provenance of each, in the same order. */
  readonly records: readonly ConnectorAdmissionRecord[];
  /** What each kind of model server is told of the arguments, in the same order. */
  readonly forms: readonly AdmittedForms[];
  /** Names of the prompts that may be read. */
  readonly prompts: readonly string[];
  /** URIs of the resources that may be read. */
  readonly resources: readonly string[];
  /** What is wrong, sorted; empty exactly when accepted. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Lets in what a manifest wants of a server, if the policy allows all of it; otherwise nothing.
 *
 * Pure and total: every input gives one answer, and the order of tools and selections does not show in it.
 */
export function admitConnectorTools(input: AdmissionInput): AdmissionResult {
  const snapshot = readDiscoverySnapshot(input.snapshot);
  const manifest = readAdmissionManifest(input.manifest);
  const policy = readAdmissionPolicy(input.policy);
  if (!snapshot.ok || !manifest.ok || !policy.ok) {
    return rejected([snapshot, manifest, policy].flatMap((one) => (one.ok ? [] : one.diagnostics)));
  }
  const documents = { snapshot: snapshot.value, manifest: manifest.value, policy: policy.value };
  const shared = [...checkConnector(documents), ...findMissingHashes(documents)];
  // Which of two tools of one name is meant, nobody can say.
  if (shared.some(isBlocking)) return rejected(shared);
  const byName = new Map(
    documents.snapshot.provider_tools.map((tool) => [tool.provider_tool_name, tool]),
  );
  const admitted = documents.manifest.selected_tools
    .toSorted((a, b) => (a.provider_tool_name < b.provider_tool_name ? -1 : 1))
    .map((selection) =>
      admitTool(selection, byName.get(selection.provider_tool_name) ?? null, documents),
    );
  const diagnostics = [...shared, ...admitted.flatMap((one) => one.diagnostics)];
  const made = admitted.flatMap((one) => (one.made === null ? [] : [one.made]));
  if (diagnostics.length > 0) return rejected(diagnostics);
  return deepFreeze({
    accepted: true,
    descriptors: made.map((one) => one.descriptor),
    records: made.map((one) => one.record),
    forms: made.map((one) => makeForms(one.descriptor)),
    prompts: documents.manifest.admitted_prompts,
    resources: documents.manifest.admitted_resources,
    diagnostics: [],
  });
}

interface AdmittedTool {
  readonly diagnostics: readonly Diagnostic[];
  readonly made: {
    readonly descriptor: ToolDescriptor;
    readonly record: ConnectorAdmissionRecord;
  } | null;
}

/** Every selection is looked at as a whole, whatever is wrong with the others. */
function admitTool(
  selection: ConnectorToolSelection,
  tool: DiscoveredProviderTool | null,
  { snapshot, policy }: AdmissionDocuments,
): AdmittedTool {
  const path = childPath('/selected_tools', selection.provider_tool_name);
  if (tool === null) {
    const fields = { provider_tool_name: selection.provider_tool_name };
    return { diagnostics: [found.admission.providerToolMissing({ path, fields })], made: null };
  }
  const { raw_tool_sha256: raw } = providerToolDigests(tool);
  const wrongRaw = hashFault(path, 'raw_tool_sha256', {
    expected: selection.expected_raw_tool_sha256,
    actual: raw,
  });
  const made = makeDescriptor(selection, tool, policy);
  if (made.descriptor === null) {
    return { diagnostics: [...wrongRaw, ...made.diagnostics], made: null };
  }
  const { descriptor } = made;
  const descriptorSha256 = descriptorDigest(descriptor);
  const record = createAdmissionRecord(
    selection,
    { snapshot, tool },
    { descriptor, descriptorSha256 },
  );
  const diagnostics = [
    ...wrongRaw,
    ...hashFault(path, 'descriptor_sha256', {
      expected: selection.expected_descriptor_sha256,
      actual: descriptorSha256,
    }),
    ...hashFault(path, 'admission_record_sha256', {
      expected: selection.expected_admission_record_sha256,
      actual: recordDigest(record),
    }),
  ];
  return { diagnostics, made: { descriptor, record } };
}

/** The finding that a digest is not the expected one; none where nothing is expected. */
function hashFault(
  path: string,
  hash: string,
  { expected, actual }: { readonly expected: string | null; readonly actual: string },
): readonly Diagnostic[] {
  if (expected === null || expected === actual) return [];
  const fields = { hash, expected, actual };
  return [found.admission.hashMismatch({ path: `${path}/expected_${hash}`, fields })];
}

/** Wrong digests are told together with whatever else is wrong; everything else ends the admission. */
function isBlocking({ code }: Diagnostic): boolean {
  return code !== 'MF-C021_HASH_MISMATCH' && code !== 'MF-C023_HASH_REQUIRED';
}

function rejected(diagnostics: readonly Diagnostic[]): AdmissionResult {
  return deepFreeze({
    accepted: false,
    descriptors: [],
    records: [],
    forms: [],
    prompts: [],
    resources: [],
    diagnostics: boundDiagnostics(diagnostics, ORDER),
  });
}

const ORDER = { phases: ['discovery', 'manifest', 'policy', 'identity', 'admission'] };
