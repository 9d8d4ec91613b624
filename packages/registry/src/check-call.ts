import {
  type ApprovalDecision,
  capabilityOf,
  type JsonObject,
  type JsonValue,
  type PlanCapabilityConstraint,
  type Redactor,
} from '@millforge/contracts';
import { decisionFault, type OpenApproval, openApproval, readDecision } from './approval-fault.ts';
import type { ApprovalPolicy } from './approval-policy.ts';
import { approvalNeed } from './approval-request.ts';
import { type Bound, type BoundNode, traceBinding } from './bind-plan.ts';
import { boundText } from './bound-text.ts';
import { constraintRefusal } from './constraint-refusal.ts';
import { describeError } from './describe-error.ts';
import { digestOrNull } from './digest-or-null.ts';
import { isJsonObject, toPlainCopy } from './plain-json.ts';
import { readField } from './read-field.ts';
import { type RefusalReason, readRefusal, refusedCall } from './refused-call.ts';
import type { CallContext, RefusedCall, RequestedCall } from './tool-executor.ts';
import type { TraceApproval, TraceDecision } from './tool-trace-record.ts';
import type { CallFacts } from './trace-call.ts';

/** A call that passed every pure check. */
export interface AdmittedCall {
  readonly kind: 'admitted';
  readonly bound: BoundNode;
  readonly input: JsonObject;
  readonly facts: CallFacts;
  /** Null when nobody is to be asked. */
  readonly approval: OpenApproval | null;
  /** Knows the folders of this call, too. */
  readonly redactor: Redactor;
}

/** What calls are checked against. */
export interface CheckParts {
  readonly byName: ReadonlyMap<string, Bound>;
  readonly redactor: Redactor;
  /** How far the plan lets capabilities go; default without bounds. */
  readonly constraints?: readonly PlanCapabilityConstraint[];
  /** What becomes of calls that somebody may have to agree to. */
  readonly approvals: ApprovalPolicy | null;
}

/** The pure part of the boundary: name, binding, arguments, prerequisites, capabilities, terminal, approval. */
export function checkCall(
  call: RequestedCall,
  context: CallContext,
  plan: CheckParts,
): AdmittedCall | RefusedCall {
  // The types are a promise of the caller; a decoder may have let anything through.
  const name = textOf(readField(call, 'name'));
  const callId = textOf(readField(call, 'callId'));
  const found = plan.byName.get(name) ?? { kind: 'uncompiled' as const };
  const copied = toPlainCopy(readField(call, 'arguments'));
  const input = copied.ok && isJsonObject(copied.value) ? copied.value : null;
  const facts: CallFacts = {
    name: shown(found.kind === 'uncompiled' ? redacted(name, plan.redactor) : name),
    callId: boundText(callId, 256).text,
    context,
    resolution: resolutionOf(found.kind),
    node: nodeOf(found),
    binding: bindingOf(found),
    origin: originOf(found),
    inputSha256: input === null ? null : digestOrNull(input),
    prerequisites: NONE,
    capabilities: NONE,
    approval: null,
  };
  const refuse = (reason: RefusalReason, decided: Partial<CallFacts> = {}): RefusedCall =>
    refusedCall({ ...facts, ...decided }, reason, plan.redactor);

  if (found.kind === 'ambiguous') {
    return refuse({ code: 'conflict', message: `More than one tool is called ${shown(name)}.` });
  }
  if (found.kind === 'uncompiled') {
    return refuse({ code: 'not_found', message: unknownName(facts.name, plan.byName) });
  }
  if (found.kind === 'defect') return refuse(found.defect);
  const fault = argumentFault(found, copied, input);
  if (fault !== null || input === null) {
    const words = copied.ok ? toolWords(found, copied.value) : null;
    if (words !== null) return refuse(words);
    return refuse({ code: 'invalid_arguments', message: fault ?? 'The arguments are no object.' });
  }

  const prerequisites = prerequisiteDecisions(found, context);
  const unmet = prerequisites.find((one) => one.decision === 'denied');
  if (unmet !== undefined) {
    const first = unmet.key.includes(ALTERNATIVES)
      ? `one of ${unmet.key.replaceAll(ALTERNATIVES, ', ')}`
      : unmet.key;
    const message = `${name} may be called only after ${first} has succeeded; call that first.`;
    return refuse({ code: 'prerequisite_denied', message }, { prerequisites });
  }
  const capabilities = capabilityDecisions(found, context);
  const denied = capabilities.find((one) => one.decision === 'denied');
  const decided = { prerequisites, capabilities };
  if (denied !== undefined) {
    const message = `${name} needs the capability ${denied.key}, which this run was not granted.`;
    return refuse({ code: 'capability_denied', message }, decided);
  }
  const beyond = constraintRefusal(found, input, { facts, constraints: plan.constraints });
  if (beyond !== null) return refuse(beyond, decided);
  const terminal = terminalFault(found, input);
  if (terminal !== null) {
    return refuse({ code: 'terminal_intent_invalid', message: terminal }, decided);
  }
  const refusal = askTool(found, input, { facts, redactor: plan.redactor });
  if (refusal !== null) return refuse(refusal, decided);
  const asked = {
    node: found.node,
    tool: found.tool,
    input,
    runId: context.runId,
    callId: facts.callId,
  };
  const need = approvalNeed(asked, plan.approvals);
  if (need.kind === 'declined') {
    const reason = { code: 'policy_denied', message: need.message } as const;
    return refuse(reason, { ...decided, approval: BY_POLICY.declined });
  }
  const approval = need.kind === 'needed' ? openApproval(need.request) : null;
  const agreed = need.kind === 'approved' ? BY_POLICY.approved : traceApproval(approval);
  // Most calls need nobody's permission, and nothing is known of those that was not before.
  const isPlain = prerequisites === NONE && capabilities === NONE && agreed === null;
  return {
    kind: 'admitted',
    bound: found,
    input,
    facts: isPlain ? facts : { ...facts, ...decided, approval: agreed },
    approval,
    redactor: plan.redactor,
  };
}

/** The call as it stands after somebody decided about it. */
export function decideCall(
  call: AdmittedCall,
  decision: ApprovalDecision,
): AdmittedCall | RefusedCall {
  if (call.approval === null) return call;
  // A copy, so that what was decided cannot change behind the call.
  const read = readDecision(decision);
  const fault = decisionFault(call.approval, read);
  const approval = { ...call.approval, decision: read };
  const facts = { ...call.facts, approval: traceApproval(approval) };
  if (fault === null) return { ...call, facts, approval };
  return refusedCall(facts, { code: 'policy_denied', message: fault }, call.redactor);
}

function traceApproval(approval: OpenApproval | null): TraceApproval | null {
  if (approval === null) return null;
  const { decision, requestSha256 } = approval;
  return {
    request_sha256: requestSha256,
    decision: decision?.decision ?? 'missing',
    decided_by: decision?.decided_by ?? 'nobody',
  };
}

function argumentFault(
  bound: BoundNode,
  copied: ReturnType<typeof toPlainCopy>,
  input: JsonObject | null,
): string | null {
  const tool = bound.node.model_tool_name;
  if (!copied.ok) {
    return `Invalid arguments for ${tool}: ${copied.path} must be JSON, not ${copied.found}.`;
  }
  if (input === null) {
    return `Invalid arguments for ${tool}: $ must be object, not ${typeName(copied.value)}.`;
  }
  const violation = bound.validateInput(input);
  if (violation === null) return null;
  const received = violation.received === 'nothing' ? '' : ` (received ${violation.received})`;
  return `Invalid arguments for ${tool}: ${violation.message}${received}.`;
}

/** What a tool says itself of arguments that do not fit; null where it says nothing that counts. */
function toolWords(bound: BoundNode, value: JsonValue): RefusalReason | null {
  try {
    const words: unknown = bound.implementation.explainArguments?.(value) ?? null;
    if (typeof words !== 'string' || words === '') return null;
    const isVerbatim = !bound.tool.descriptor.output_policy.redact_secrets;
    return { code: 'invalid_arguments', message: words, isVerbatim, isToolWords: true };
  } catch {
    // The house has words of its own, which are enough.
    return null;
  }
}

function prerequisiteDecisions(bound: BoundNode, context: CallContext): readonly TraceDecision[] {
  if (bound.node.prerequisites.length === 0) return NONE;
  const satisfied = new Set(
    context.prerequisites.filter((one) => one.satisfied).map((one) => one.node_id),
  );
  const alternatives = bound.node.prerequisites.map((one) =>
    'any_of' in one ? one.any_of.map(({ node_id }) => node_id) : [one.node_id],
  );
  return decide(
    alternatives.map((ids) => ids.join(ALTERNATIVES)),
    (key) => key.split(ALTERNATIVES).some((id) => satisfied.has(id)),
  );
}

function capabilityDecisions(bound: BoundNode, context: CallContext): readonly TraceDecision[] {
  if (bound.node.required_capabilities.length === 0) return NONE;
  return decide(bound.node.required_capabilities, (id) =>
    context.grants.some((grant) => capabilityOf(grant) === id),
  );
}

/** Decisions up to the first denial. */
function decide(
  keys: readonly string[],
  isAllowed: (key: string) => boolean,
): readonly TraceDecision[] {
  const decisions: TraceDecision[] = [];
  for (const key of keys) {
    const decision = isAllowed(key) ? 'allowed' : 'denied';
    decisions.push(Object.freeze({ key, decision }));
    if (decision === 'denied') break;
  }
  return Object.freeze(decisions);
}

function terminalFault(bound: BoundNode, input: JsonObject): string | null {
  const expected = bound.node.terminal_result;
  const given = input['terminal_result'];
  if (expected === null || given === undefined || given === expected) return null;
  return `${bound.node.model_tool_name} ends the run with ${expected}; terminal_result must say so.`;
}

function askTool(
  bound: BoundNode,
  input: JsonObject,
  call: { readonly facts: CallFacts; readonly redactor: Redactor },
): RefusalReason | null {
  const { runId, workspace } = call.facts.context;
  try {
    const context = { runId, callId: call.facts.callId, workspace };
    const answer: unknown = bound.implementation.check?.(input, context) ?? null;
    if (answer === null) return null;
    // A check that answers later has not answered; its rejection is nobody else's to catch.
    if (answer instanceof Promise) void answer.catch(ignore);
    const said = { code: readField(answer, 'code'), message: readField(answer, 'message') };
    return readRefusal(said, bound);
  } catch (error) {
    const message = `${bound.node.model_tool_name} could not check the call: ${describeError(error, { redactor: call.redactor, workspace })}.`;
    return { code: 'implementation_error', message };
  }
}

function unknownName(name: string, byName: ReadonlyMap<string, Bound>): string {
  const names = [...byName.keys()].join(', ');
  return boundText(`There is no tool called ${JSON.stringify(name)}; the tools are ${names}.`, 2048)
    .text;
}

function shown(name: string): string {
  return boundText(name, 128).text;
}

/** A model may put anything in the place of a name; cut so that a secret that begins inside is seen whole. */
function redacted(name: string, redactor: Redactor): string {
  return redactor.text(boundText(name, 1024).text);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function ignore(): void {}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function resolutionOf(kind: Bound['kind'] | 'uncompiled'): CallFacts['resolution'] {
  return kind === 'ambiguous' || kind === 'uncompiled' ? kind : 'resolved';
}

function nodeOf(found: Bound | { readonly kind: 'uncompiled' }): CallFacts['node'] {
  if (found.kind === 'bound') return found.node;
  return found.kind === 'defect' ? found.defect.node : null;
}

function bindingOf(found: Bound | { readonly kind: 'uncompiled' }): CallFacts['binding'] {
  if (found.kind === 'bound') return found.binding;
  return found.kind === 'defect' ? traceBinding(found.defect.node) : null;
}

function originOf(found: Bound | { readonly kind: 'uncompiled' }): CallFacts['origin'] {
  if (found.kind === 'bound') return found.tool.origin;
  return found.kind === 'defect' ? (found.defect.tool?.origin ?? null) : null;
}

const BY_POLICY = {
  approved: { request_sha256: null, decision: 'approved', decided_by: 'policy' },
  declined: { request_sha256: null, decision: 'declined', decided_by: 'policy' },
} as const satisfies { readonly [Decision in string]: TraceApproval };

/** Between the nodes of which one is enough; no id of a node holds it. */
const ALTERNATIVES = '|';

const NONE: readonly TraceDecision[] = Object.freeze([]);
