import {
  type CompiledHarnessPlan,
  canonicalJson,
  compileValidator,
  type ExactJson,
  type JsonSchema,
  type PlanNode,
  type SchemaViolation,
  type ToolErrorCode,
  type ToolImplementation,
  type ToolStatus,
  withoutAnnotations,
} from '@millforge/contracts';
import type { RegisteredTool, RegistrySnapshot } from './registry-snapshot.ts';
import type { TraceBinding } from './tool-trace-record.ts';

/** What a name of the plan leads to. */
export type Bound = BoundNode | { readonly kind: 'defect'; readonly defect: Defect } | Ambiguous;

/** A node whose binding stands, with all that a call of it needs. */
export interface BoundNode {
  readonly kind: 'bound';
  readonly node: PlanNode;
  /** The node's binding as every record of a call has it. */
  readonly binding: TraceBinding;
  readonly tool: RegisteredTool;
  readonly implementation: ToolImplementation;
  readonly validateInput: (value: unknown) => SchemaViolation | null;
  readonly validateOutput: (value: unknown) => SchemaViolation | null;
}

/** Why calls of a node are refused: the plan and the registry disagree. */
export interface Defect {
  readonly node: PlanNode;
  readonly tool: RegisteredTool | null;
  readonly code: ToolErrorCode;
  readonly status: ToolStatus;
  readonly message: string;
}

interface Ambiguous {
  readonly kind: 'ambiguous';
}

/** Proves every binding of a plan against the registry; a node that drifted does not block the others. */
export function bindPlan(
  plan: CompiledHarnessPlan,
  snapshot: RegistrySnapshot,
  implementations: ReadonlyMap<string, ToolImplementation>,
): ReadonlyMap<string, Bound> {
  const byName = new Map<string, Bound>();
  for (const node of plan.nodes) {
    byName.set(
      node.model_tool_name,
      byName.has(node.model_tool_name)
        ? { kind: 'ambiguous' }
        : bindNode(node, plan, { snapshot, implementations }),
    );
  }
  return byName;
}

function bindNode(
  node: PlanNode,
  plan: CompiledHarnessPlan,
  held: {
    readonly snapshot: RegistrySnapshot;
    readonly implementations: ReadonlyMap<string, ToolImplementation>;
  },
): Bound {
  const { tool_id: id, tool_version: version, implementation_id: code } = node.binding;
  const name = `${id}@${version}`;
  const tool = held.snapshot.findTool(id, version);
  const defect = (fields: Omit<Defect, 'node' | 'tool'>): Bound => ({
    kind: 'defect',
    defect: { node, tool, ...fields },
  });
  if (tool === null) {
    return defect({
      code: 'not_found',
      status: 'not_executed',
      message: `The tool ${name} of this plan is not in the registry; use another tool.`,
    });
  }
  const drifted = firstDrift(node, tool, plan.schema_version);
  if (drifted !== null) {
    return defect({
      code: 'binding_mismatch',
      status: 'hard_failure',
      message: `The tool ${name} is not what the plan was compiled against: its ${drifted} differs. Compile the harness again.`,
    });
  }
  const mapped = plan.terminal_result_map[node.node_id] ?? null;
  if (mapped !== node.terminal_result) {
    return defect({
      code: 'terminal_intent_invalid',
      status: 'not_executed',
      message: `The plan names two results for the terminal ${node.node_id}. Compile the harness again.`,
    });
  }
  const implementation = held.implementations.get(code);
  if (implementation === undefined) {
    return defect({
      code: 'not_found',
      status: 'hard_failure',
      message: `No code is registered for the tool ${name} (${code}).`,
    });
  }
  return {
    kind: 'bound',
    node,
    binding: traceBinding(node),
    tool,
    implementation,
    validateInput: compileValidator(node.input_schema),
    validateOutput: compileValidator(tool.descriptor.output_schema),
  };
}

/** A copy, frozen: it stands in many records, and a plan need not be frozen. */
export function traceBinding({ binding }: PlanNode): TraceBinding {
  return Object.freeze({
    tool_id: binding.tool_id,
    tool_version: binding.tool_version,
    descriptor_sha256: binding.descriptor_sha256,
    implementation_id: binding.implementation_id,
  });
}

/** The first field in which the plan's copy differs from the registry's tool. */
function firstDrift(
  node: PlanNode,
  tool: RegisteredTool,
  version: CompiledHarnessPlan['schema_version'],
): string | null {
  const { descriptor } = tool;
  if (node.binding.descriptor_sha256 !== tool.descriptorSha256) return 'descriptor_sha256';
  if (node.binding.implementation_id !== descriptor.implementation_id) return 'implementation_id';
  // From version 1.1 on the author of a harness chooses the name, and which of the artifacts a node produces.
  const isNarrow = version === '1.0';
  if (isNarrow && node.model_tool_name !== descriptor.model_tool_name) return 'model_tool_name';
  if (node.description !== descriptor.description) return 'description';
  if (!sameSchema(node.input_schema, descriptor.input_schema)) return 'input_schema';
  if (!sameJson(node.required_capabilities, descriptor.required_capabilities)) {
    return 'required_capabilities';
  }
  const produced = new Set(descriptor.produced_artifact_ids);
  const isFewer = !isNarrow && node.produced_artifact_ids.every((id) => produced.has(id));
  if (!isFewer && !sameJson(node.produced_artifact_ids, descriptor.produced_artifact_ids)) {
    return 'produced_artifact_ids';
  }
  if (node.side_effect_class !== descriptor.side_effect_class) return 'side_effect_class';
  return node.idempotency === descriptor.idempotency ? null : 'idempotency';
}

/** Words do not bind: the model reads those of the plan, and both check the same. */
function sameSchema(left: JsonSchema, right: JsonSchema): boolean {
  return sameJson(withoutAnnotations(left), withoutAnnotations(right));
}

/** Whether two values have the same digest; two equal texts need none. */
function sameJson(left: ExactJson, right: ExactJson): boolean {
  return canonicalJson(left) === canonicalJson(right);
}
