import type {
  Idempotency,
  JsonObject,
  JsonSchema,
  SideEffectClass,
  ToolOutputPolicy,
  ToolTimeoutPolicy,
} from '@millforge/contracts';

/** Tools that an operator declares, as a document. */
export interface CustomToolManifest {
  /** Name of the schema. */
  readonly schema_version: 'millforge.custom_tool.source';
  /** Type of this document. */
  readonly kind: 'custom_tool_source';
  /** Version of this document; `1.1` has implementations and schemas with bounds. */
  readonly version: ManifestVersion;
  /** Names the package of tools; at most 160 bytes. */
  readonly package_id: string;
  /** Version of the package, from 1. */
  readonly package_version: number;
  /** What the source is called; null if it has no name. */
  readonly source_name: string | null;
  /** When it was written, UTC; in no digest. */
  readonly created_at: string;
  /** 1 to 128 tools. */
  readonly tools: readonly CustomToolDeclaration[];
  /** Free-form notes without secrets. */
  readonly policy_metadata: JsonObject;
  /** Digest that the source has to have. */
  readonly expected_source_sha256: string | null;
}

/** Versions of the manifest. */
export type ManifestVersion = '1.0' | '1.1';

/** One declared tool. */
export interface CustomToolDeclaration {
  /** Dotted id outside of `builtin.`, `connector.` and `forged.`. */
  readonly tool_id: string;
  /** Version, 1 to 2,147,483,647. */
  readonly tool_version: number;
  /** Names the code that runs it; at most 512 bytes. */
  readonly implementation_id: string;
  /** Where its code comes from; default `contract_only`. */
  readonly runtime_kind: RuntimeKind;
  /** Name shown to the model. */
  readonly model_tool_name: string;
  /** What the model reads about it, verbatim. */
  readonly description: string;
  /** Who wrote the description. */
  readonly description_policy: DescriptionPolicy;
  /** Normal form of the schema of the arguments. */
  readonly input_schema: JsonSchema;
  /** Normal form of the schema of the structured result. */
  readonly output_schema: JsonSchema;
  /** Capabilities that a caller must hold, sorted. */
  readonly required_capabilities: readonly string[];
  /** Artifacts that a call may produce, sorted. */
  readonly produced_artifact_ids: readonly string[];
  /** The strongest thing a call may do. */
  readonly side_effect_class: SideEffectClass;
  /** Whether a call may be repeated. */
  readonly idempotency: Idempotency;
  /** Time limits of one call. */
  readonly timeout_policy: ToolTimeoutPolicy;
  /** Size limits of one result. */
  readonly output_policy: ToolOutputPolicy;
  /** Who has to agree to a call. */
  readonly approval_policy: ApprovalRequirement;
  /** How arguments are held to their schema. */
  readonly input_policy: 'json_schema_exact';
  /** How results are held to theirs. */
  readonly output_contract_policy: 'json_schema_exact';
  /** What makes a call safe to repeat, in words. */
  readonly idempotency_key_policy: string | null;
  /** The code, for the kinds that carry it; null for the others. */
  readonly implementation: CustomToolImplementation | null;
  /** Digest that the declaration has to have. */
  readonly expected_declaration_sha256: string | null;
  /** Digest that the descriptor has to have. */
  readonly expected_descriptor_sha256: string | null;
  /** Digest that the record has to have. */
  readonly expected_compilation_record_sha256: string | null;
}

/** Where the code of a tool comes from: nowhere yet, the program, the manifest. */
export type RuntimeKind = 'contract_only' | 'host_function' | 'sandboxed_js' | 'sandboxed_command';

/** Every runtime kind. */
export const RUNTIME_KINDS: readonly RuntimeKind[] = [
  'contract_only',
  'host_function',
  'sandboxed_js',
  'sandboxed_command',
];

/** Who wrote a description. */
export type DescriptionPolicy = 'operator_supplied' | 'source_supplied';

/** Who has to agree to a call, as records say it; people write `explicit` and `out_of_band`. */
export type ApprovalRequirement =
  | 'none'
  | 'millrace_explicit'
  | 'operator_out_of_band'
  | 'forbidden';

/** Every requirement. */
export const APPROVAL_REQUIREMENTS: readonly ApprovalRequirement[] = [
  'none',
  'millrace_explicit',
  'operator_out_of_band',
  'forbidden',
];

/** The requirement that a word names: one of its own, or the short word of the rest of the house; null for others. */
export function requirementOf(word: unknown): ApprovalRequirement | null {
  const meant = word === 'explicit' ? 'millrace_explicit' : word;
  const named = meant === 'out_of_band' ? 'operator_out_of_band' : meant;
  return APPROVAL_REQUIREMENTS.find((each) => each === named) ?? null;
}

/** The word that people write for a requirement. */
export function approvalWord(word: string): string {
  if (word === 'millrace_explicit') return 'explicit';
  return word === 'operator_out_of_band' ? 'out_of_band' : word;
}

/** The words that are told to whoever wrote another one. */
export const APPROVAL_WORDS = ['none', 'explicit', 'out_of_band', 'forbidden'] as const;

/** Code that runs in the sandbox. */
export type CustomToolImplementation = JavaScriptImplementation | CommandImplementation;

/** A function of an ES module, run in QuickJS. */
export interface JavaScriptImplementation {
  /** Tells the kinds apart. */
  readonly kind: 'sandboxed_js';
  /** Source of the module. */
  readonly source: string;
  /** Name of the exported function; it gets the arguments and gives the structured result. */
  readonly entry: string;
  /** Limits of one call that differ from those of the sandbox. */
  readonly limits: ImplementationLimits;
}

/** A command: the arguments come as JSON on its standard input. */
export interface CommandImplementation {
  /** Tells the kinds apart. */
  readonly kind: 'sandboxed_command';
  /** Program and arguments, taken as they are; nothing of a call is put into them. */
  readonly command: readonly [string, ...string[]];
  /** What it sees of the workspace. */
  readonly workspace: 'none' | 'read' | 'write';
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** `json`: its output is the structured result. `text`: it becomes the property `text` of it. */
  readonly output: 'json' | 'text';
  /** Limits of one call that differ from those of the sandbox. */
  readonly limits: ImplementationLimits;
}

/** Limits of one call; what is absent has the default of the sandbox. */
export interface ImplementationLimits {
  /** Bytes of memory. */
  readonly memory_bytes?: number;
  /** Processes and threads. */
  readonly processes?: number;
  /** Bytes of output. */
  readonly output_bytes?: number;
  /** Bytes of private disk. */
  readonly disk_bytes?: number;
}
