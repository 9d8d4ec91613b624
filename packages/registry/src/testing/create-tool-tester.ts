import {
  type ApprovalDecision,
  type CapabilityGrant,
  type Clock,
  createRedactor,
  digest,
  type JsonValue,
  type Reconciliation,
  type Redactor,
  type Tool,
  type ToolOutcome,
} from '@millforge/contracts';
import { manualClock } from '@millforge/contracts/testing';
import type { ApprovalPolicy } from '../approval-policy.ts';
import { createRegistry } from '../create-registry.ts';
import { createToolExecutor } from '../create-tool-executor.ts';
import type {
  CallContext,
  CallRecord,
  CheckedCall,
  RefusedCall,
  ToolExecutor,
} from '../tool-executor.ts';
import type { ToolTraceRecord } from '../tool-trace-record.ts';
import { singleToolPlan } from './single-tool-plan.ts';

/** Runs one tool through the executor that a real run has, without a harness and without a model. */
export interface ToolTester {
  /** Digest of the tool's descriptor, as a plan would bind it. */
  readonly descriptorSha256: string;
  /** Only what is pure: name, schema, capabilities, constraints, the tool's own check. */
  check(input: unknown): CheckedCall | RefusedCall;
  /** Takes a call through all stages. Every input gives one outcome and one record; never throws. */
  call(
    input: unknown,
    options?: {
      /** Stops the call. */
      readonly signal?: AbortSignal;
      /** Key that `run` is given; default `key-1`. */
      readonly idempotencyKey?: string;
    },
  ): Promise<ToolTrial>;
  /** Asks the tool whether an interrupted call happened; `unknown` when it cannot tell. */
  reconcile(
    input: unknown,
    left: {
      /** Evidence that `prepare` left; default null. */
      readonly before?: JsonValue;
      /** Key that the interrupted call carried; default `key-1`. */
      readonly idempotencyKey?: string;
    },
  ): Promise<Reconciliation<CallRecord>>;
}

/** What one call came to. */
export interface ToolTrial {
  /** The last stage that was reached. */
  readonly stage: 'check' | 'prepare' | 'run';
  /** What a model would see. */
  readonly outcome: ToolOutcome;
  /** What a trail would keep. */
  readonly trace: ToolTraceRecord;
  /** Evidence of the state before; null when the call was refused. */
  readonly before: JsonValue | null;
  /** Evidence of the state afterwards. */
  readonly after?: JsonValue;
}

/** How a tool is tried; everything has a default. */
export interface ToolTesterOptions {
  /** Time; default a clock that stands still, at which no time limit is ever over. */
  readonly clock?: Clock;
  /** Absolute path of the workspace; default none. */
  readonly workspace?: string;
  /** Capabilities granted; default all that the tool needs, without bounds. */
  readonly grants?: readonly (string | CapabilityGrant)[];
  /** What becomes of calls that somebody may have to agree to; default all are approved. */
  readonly approvals?: ApprovalPolicy;
  /** Replaces secrets; default by their shapes. */
  readonly redactor?: Redactor;
}

/**
 * Makes a tester for a tool.
 *
 * @throws `registry/invalid-descriptor` and `registry/reserved-id`, as the registry does.
 */
export function createToolTester(tool: Tool, options: ToolTesterOptions = {}): ToolTester {
  const registry = createRegistry();
  registry.register(tool);
  const snapshot = registry.freeze();
  const { tool_id: id, tool_version: version, model_tool_name: name } = tool.descriptor;
  const descriptorSha256 = snapshot.findTool(id, version)?.descriptorSha256 ?? '';
  const clock = options.clock ?? manualClock();
  const executor: ToolExecutor = createToolExecutor({
    plan: singleToolPlan(tool.descriptor, descriptorSha256),
    snapshot,
    implementations: snapshot.implementations,
    clock,
    redactor: options.redactor ?? createRedactor(),
    approvals: options.approvals ?? APPROVE_ALL,
  });
  const context: CallContext = {
    runId: 'run-1',
    turn: 1,
    workspace: options.workspace ?? null,
    grants: options.grants ?? tool.descriptor.required_capabilities,
    prerequisites: [],
  };
  let calls = 0;
  const check: ToolTester['check'] = (input) => {
    calls += 1;
    const checked = executor.check({ name, callId: `call-${calls}`, arguments: input }, context);
    return checked.kind === 'checked' ? agree(checked, clock) : checked;
  };
  return Object.freeze({
    descriptorSha256,
    check,
    async call(input, { signal = NEVER, idempotencyKey = FIRST_KEY } = {}) {
      const checked = check(input);
      if (checked.kind === 'refused') return refusedTrial('check', checked);
      const prepared = await checked.prepare({ signal });
      if (prepared.kind === 'refused') return refusedTrial('prepare', prepared);
      await using held = prepared;
      const executed = await held.run({ signal, idempotencyKey });
      return { stage: 'run', before: held.before, ...executed };
    },
    async reconcile(input, { before = null, idempotencyKey = FIRST_KEY }) {
      const checked = check(input);
      if (checked.kind === 'refused' || checked.reconcile === undefined) return { kind: 'unknown' };
      return checked.reconcile({ before, idempotencyKey, signal: NEVER });
    },
  } satisfies ToolTester);
}

/** A tester is the person that is asked, and says yes to what the policy lets it be asked about. */
function agree(checked: CheckedCall, clock: Clock): CheckedCall | RefusedCall {
  const { approval } = checked;
  if (approval === null) return checked;
  const now = clock.now();
  const decision: ApprovalDecision = {
    kind: 'approval_decision',
    schema_version: '1.0',
    request_sha256: digest(approval),
    decision: 'approved',
    decided_by: 'tester',
    reason: '',
    decided_at: new Date(now).toISOString(),
    expires_at: new Date(now + approval.expires_after_seconds * 1000).toISOString(),
  };
  return checked.approve(decision);
}

function refusedTrial(stage: 'check' | 'prepare', { outcome, trace }: RefusedCall): ToolTrial {
  return { stage, outcome, trace, before: null };
}

const NEVER = new AbortController().signal;
const FIRST_KEY = 'key-1';
const APPROVE_ALL: ApprovalPolicy = {
  kind: 'approval_policy',
  schema_version: '1.0',
  rules: [],
  required: 'approve',
};
