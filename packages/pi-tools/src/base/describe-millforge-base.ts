import { deepFreeze, descriptorDigest, digest } from '@millforge/contracts';
import { piTools } from '../pi-tools.ts';
import { BASE_GRANTS, BASE_IDENTITY } from './base-identity.ts';
import { DEFAULT_TERMINALS } from './base-terminals.ts';

/** What millforge-base is, wherever and whenever it is asked. */
export interface BaseDescriptor {
  /** Version of this document. */
  readonly schema_version: '1.0';
  /** Type of this document. */
  readonly kind: 'millforge_base_descriptor';
  /** Package that it comes in. */
  readonly package_name: string;
  /** Version of that package. */
  readonly package_version: string;
  /** Name of the preset. */
  readonly runner_id: string;
  /** Its version. */
  readonly runner_version: number;
  /** Harness that it makes. */
  readonly harness_id: string;
  /** Version of that harness. */
  readonly harness_version: number;
  /** Tools that it offers. */
  readonly tool_pack_id: string;
  /** Version of that selection. */
  readonly tool_pack_version: number;
  /** What the model must be able to do. */
  readonly required_model_capability_ids: readonly string[];
  /** Capabilities that a run must be granted, sorted. */
  readonly required_capability_ids: readonly string[];
  /** Results in which a run ends by default, sorted. */
  readonly legal_terminal_result_ids: readonly string[];
  /** Rules by which the system prompt is put together. */
  readonly prompt_contract_version: string;
  /** Rules by which instruction files are found. */
  readonly context_contract_version: string;
  /** Digest of the tools: id, version and descriptor digest of each, sorted by id. */
  readonly tool_catalog_sha256: string;
  /** Platforms on which it runs, as Node names them; `linux` is WSL too. */
  readonly supported_platforms: readonly string[];
  /** Digest of all other fields: canonical JSON without a final line feed. */
  readonly descriptor_sha256: string;
}

/**
 * Describes millforge-base: the same document on every platform, whatever folder, user, model or day.
 * Nothing is read, and nothing is started.
 */
export function describeMillforgeBase(): BaseDescriptor {
  const facts = {
    schema_version: '1.0',
    kind: 'millforge_base_descriptor',
    package_name: '@millforge/pi-tools',
    package_version: PACKAGE_VERSION,
    runner_id: BASE_IDENTITY.runnerId,
    runner_version: BASE_IDENTITY.runnerVersion,
    harness_id: BASE_IDENTITY.harnessId,
    harness_version: BASE_IDENTITY.harnessVersion,
    tool_pack_id: BASE_IDENTITY.toolPackId,
    tool_pack_version: BASE_IDENTITY.toolPackVersion,
    required_model_capability_ids: ['tool_calls'],
    required_capability_ids: [...BASE_GRANTS],
    legal_terminal_result_ids: DEFAULT_TERMINALS.map(({ result }) => result),
    prompt_contract_version: BASE_IDENTITY.promptContract,
    context_contract_version: BASE_IDENTITY.contextContract,
    tool_catalog_sha256: toolCatalogDigest(),
    supported_platforms: ['linux', 'darwin'],
  } as const;
  return deepFreeze({ ...facts, descriptor_sha256: digest(facts, { newline: false }) });
}

function toolCatalogDigest(): string {
  const tools = piTools().map(({ descriptor }) => ({
    tool_id: descriptor.tool_id,
    tool_version: descriptor.tool_version,
    descriptor_sha256: descriptorDigest(descriptor),
  }));
  return digest(
    tools.toSorted((a, b) => (a.tool_id < b.tool_id ? -1 : 1)),
    { newline: false },
  );
}

// A test holds it equal to the package file.
const PACKAGE_VERSION = '0.1.0';
