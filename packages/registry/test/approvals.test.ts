import { type ApprovalDecision, digest, TOOL_APPROVALS, type Tool } from '@millforge/contracts';
import {
  type ApprovalPolicy,
  type ApprovalRequest,
  type ApprovalRule,
  type CheckedCall,
  readApprovalPolicy,
} from '@millforge/registry';
import { describe, expect, test } from 'vitest';
import {
  admit,
  DONE,
  type ExecutorWorld,
  executorWorld,
  refuse,
  toolOf,
} from './executor-world.ts';

test('asks nobody about a tool that asks for nothing, without a policy or with one that is silent', () => {
  for (const approvals of [undefined, policyOf([]), policyOf([], { required: 'hold' })]) {
    const call = admit(worldOf(toolOf(), approvals));
    expect(call.approval).toBeNull();
  }
});

test.each(['explicit', 'out_of_band', 'forbidden'] as const)(
  'declines a tool of approval %s where no policy says otherwise (B-34)',
  (approval) => {
    for (const approvals of [undefined, policyOf([])]) {
      const refused = refuse(worldOf(toolOf({ approval }), approvals));
      expect(refused.outcome).toMatchObject({
        status: 'not_executed',
        error_code: 'policy_denied',
        certainty: 'not_attempted',
      });
      expect(refused.trace.approval).toEqual({
        request_sha256: null,
        decision: 'declined',
        decided_by: 'policy',
      });
    }
  },
);

// What every kind of tool comes to under every verdict of a rule that matches.
const OUTCOMES = {
  none: { approve: 'free', ask: 'ask', hold: 'hold', decline: 'declined' },
  explicit: { approve: 'free', ask: 'ask', hold: 'hold', decline: 'declined' },
  out_of_band: { approve: 'hold', ask: 'hold', hold: 'hold', decline: 'declined' },
  forbidden: { approve: 'declined', ask: 'declined', hold: 'declined', decline: 'declined' },
} as const;

test.each(
  TOOL_APPROVALS.flatMap((approval) =>
    (['approve', 'ask', 'hold', 'decline'] as const).map((verdict) => [approval, verdict] as const),
  ),
)('a tool of approval %s under a rule that says %s', (approval, verdict) => {
  const tool = toolOf({ approval });
  const call = { name: 'lookup', callId: 'c', arguments: { key: 'a' } };
  const seen = [policyOf([{ verdict }]), policyOf([], { required: verdict })].map((policy) => {
    const world = worldOf(tool, policy);
    const checked = world.executor.check(call, world.context);
    if (checked.kind === 'refused') return 'declined';
    return checked.approval === null ? 'free' : checked.approval.mode;
  });
  // What is required of a tool that asks for nothing is nothing.
  const silent = approval === 'none' ? 'free' : OUTCOMES[approval][verdict];
  expect(seen).toEqual([OUTCOMES[approval][verdict], silent]);
});

test('the first rule that matches tool and effect decides', () => {
  const tool = toolOf({ sideEffect: 'network_write', capabilities: ['shop.use'] });
  const rules: readonly ApprovalRule[] = [
    { tools: ['shop.other'], verdict: 'decline' },
    { tools: ['shop.lookup'], effects: ['read_only'], verdict: 'decline' },
    { effects: ['network_read', 'network_write'], verdict: 'approve' },
    { verdict: 'decline' },
  ];
  expect(admit(worldOf(tool, policyOf(rules))).approval).toBeNull();
  expect(refuse(worldOf(toolOf(), policyOf(rules))).outcome.error_code).toBe('policy_denied');
});

test('asks about the whole call, and about nothing that would be refused anyway', () => {
  const world = askingWorld();
  const { approval } = admit(world, { key: 'a', count: 2 });
  expect(approval).toEqual({
    kind: 'approval_request',
    schema_version: '1.0',
    run_id: 'run-1',
    call_id: 'call-1',
    node_id: 'lookup',
    tool_name: 'lookup',
    binding: expect.objectContaining({ tool_id: 'shop.lookup', tool_version: 1 }),
    side_effect_class: 'read_only',
    arguments: { key: 'a', count: 2 },
    tool_approval: 'explicit',
    mode: 'ask',
    expires_after_seconds: 3600,
  });
  expect(refuse(world, { key: 7 }).outcome.error_code).toBe('invalid_arguments');
});

describe('a call that needs approval', () => {
  test('does not reach its tool without one, however often it is prepared', async () => {
    const { world, ran } = watchedWorld();
    const call = admit(world);
    for (let times = 0; times < 2; times++) {
      const refused = await call.prepare({ signal });
      expect(refused).toMatchObject({
        kind: 'refused',
        outcome: { error_code: 'policy_denied', certainty: 'not_attempted' },
        trace: { approval: { decision: 'missing', decided_by: 'nobody' } },
      });
    }
    expect(ran()).toBe(0);
  });

  test('runs under an approval of exactly this call, and its record says who gave it', async () => {
    const { world, ran } = watchedWorld();
    const call = admit(world);
    const approved = call.approve(decide(call));
    const { trace } = await act(approved);
    expect(ran()).toBe(1);
    expect(trace.approval).toEqual({
      request_sha256: digest(requestOf(call)),
      decision: 'approved',
      decided_by: 'ada',
    });
  });

  test('is answered with the reason of whoever declined it', () => {
    const call = admit(askingWorld());
    const refused = call.approve(decide(call, { decision: 'declined', reason: 'too dear' }));
    expect(refused).toMatchObject({
      kind: 'refused',
      outcome: {
        error_code: 'policy_denied',
        text: 'ada declined lookup: too dear. Do without it.',
      },
      trace: { approval: { decision: 'declined', decided_by: 'ada' } },
    });
  });

  test('takes no approval of other arguments, of another call or of another run', () => {
    const world = askingWorld();
    const call = admit(world, { key: 'a' });
    const others = [
      admit(world, { key: 'b' }),
      checkAs(world, { callId: 'call-2' }),
      checkAs(world, { runId: 'run-2' }),
    ];
    for (const other of others) {
      const refused = call.approve(decide(other));
      expect(refused).toMatchObject({ kind: 'refused', outcome: { error_code: 'policy_denied' } });
    }
    expect(call.approve(decide(call)).kind).toBe('checked');
  });

  test('uses its approval once (B-29)', async () => {
    const { world, ran } = watchedWorld();
    const call = admit(world);
    const decision = decide(call);
    await act(call.approve(decision));
    const again = admit(world).approve(decision);
    expect(await prepared(again)).toMatchObject({
      kind: 'refused',
      outcome: { error_code: 'policy_denied', text: expect.stringContaining('used already') },
    });
    expect(ran()).toBe(1);
  });

  test('uses its approval once, however many calls were prepared under it (B-29)', async () => {
    const { world, ran } = watchedWorld();
    const call = admit(world);
    const approved = call.approve(decide(call));
    const acts = await Promise.all([act(approved), act(approved), act(approved)]);
    const codes = acts.map(({ outcome }) => outcome.error_code);
    expect(codes).toEqual([null, 'policy_denied', 'policy_denied']);
    expect(acts[1]?.outcome.certainty).toBe('not_attempted');
    expect(ran()).toBe(1);
  });

  test('does not begin under an approval that expired after it was prepared', async () => {
    const { world, ran } = watchedWorld();
    const call = admit(world);
    const ready = await prepared(call.approve(decide(call, { expires_at: at(world, 60_000) })));
    if (ready.kind === 'refused') throw new Error(ready.outcome.text);
    await using held = ready;
    world.clock.advance(60_000);
    expect((await held.run({ signal, idempotencyKey: 'k' })).outcome).toMatchObject({
      error_code: 'policy_denied',
      certainty: 'not_attempted',
    });
    expect(ran()).toBe(0);
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['another word', { decision: 'maybe' }],
    ['no reason', { reason: undefined }],
    ['a decider that is no text', { decided_by: 7 }],
    ['no end', { expires_at: null }],
  ])('is refused for a decision with %s', (_what, change) => {
    const call = admit(askingWorld());
    const open: { approve(decision: unknown): { readonly kind: string } } = call;
    const decision =
      change === null ? null : { ...decide(call), decision: 'declined', ...Object(change) };
    expect(open.approve(decision)).toMatchObject({
      kind: 'refused',
      outcome: { error_code: 'policy_denied' },
      trace: { approval: { decision: 'missing', decided_by: 'nobody' } },
    });
  });

  test('keeps the decision that it was given, and no secret of who gave it', async () => {
    const { world } = watchedWorld();
    const call = admit(world);
    const decision = { ...decide(call, { decided_by: 'hunter2-hunter2' }) };
    const approved = call.approve(decision);
    Object.assign(decision, { decision: 'declined', expires_at: 'never' });
    expect((await act(approved)).trace.approval).toMatchObject({
      decision: 'approved',
      decided_by: '**redacted**',
    });
  });

  test('may be repeated under its approval while nobody knows whether it happened', async () => {
    let tries = 0;
    const run = async () => {
      if (tries++ === 0) throw new Error('lost');
      return DONE;
    };
    const tool = toolOf({
      run,
      approval: 'explicit',
      sideEffect: 'network_write',
      capabilities: ['shop.use'],
    });
    const world = worldOf(tool, policyOf([], { required: 'ask' }));
    const call = admit(world);
    const approved = call.approve(decide(call));
    expect((await act(approved)).outcome.certainty).toBe('completion_unknown');
    expect((await act(approved)).outcome.status).toBe('success');
    expect((await prepared(approved)).kind).toBe('refused');
  });

  test('does not begin under an approval that has expired, or whose end cannot be read', async () => {
    const { world, ran } = watchedWorld();
    const call = admit(world);
    const expiring = call.approve(decide(call, { expires_at: at(world, 60_000) }));
    world.clock.advance(60_000);
    expect(await prepared(expiring)).toMatchObject({
      kind: 'refused',
      outcome: { text: 'The approval of lookup has expired; call it again to ask again.' },
    });
    const unreadable = call.approve(decide(call, { expires_at: 'never' }));
    expect((await prepared(unreadable)).kind).toBe('refused');
    expect(ran()).toBe(0);
  });
});

test.each<[string, unknown, string]>([
  ['a text', 'approve', ''],
  ['a field that nobody knows', { extra: 1 }, ''],
  ['another kind', { kind: 'policy' }, '/kind'],
  ['another version', { schema_version: '2.0' }, '/schema_version'],
  ['no rules', { rules: null }, '/rules'],
  ['too many rules', { rules: Array.from({ length: 65 }, () => ({ verdict: 'ask' })) }, '/rules'],
  ['a rule without a verdict', { rules: [{}] }, '/rules/0/verdict'],
  ['a rule with a word of its own', { rules: [{ verdict: 'maybe' }] }, '/rules/0/verdict'],
  ['a rule that is a list', { rules: [[]] }, '/rules/0'],
  ['a rule with a stray field', { rules: [{ verdict: 'ask', tool: 'a' }] }, '/rules/0'],
  ['a rule for no tool', { rules: [{ verdict: 'ask', tools: [] }] }, '/rules/0/tools'],
  ['a rule for a wrong id', { rules: [{ verdict: 'ask', tools: ['A b'] }] }, '/rules/0/tools'],
  ['an effect that is none', { rules: [{ verdict: 'ask', effects: ['x'] }] }, '/rules/0/effects'],
  ['a wrong default', { required: 'yes' }, '/required'],
  ['an approval without end', { expires_after_seconds: 0 }, '/expires_after_seconds'],
])('a policy is refused for %s', (_what, change, path) => {
  const value =
    typeof change === 'object' ? { ...policyOf([]), ...change } : (change as unknown as string);
  const read = readApprovalPolicy(JSON.parse(JSON.stringify(value)));
  expect(read).toMatchObject({ ok: false, path });
});

test('a policy is read as it is written, and frozen', () => {
  const policy = policyOf([{ tools: ['a.b'], effects: ['terminal'], verdict: 'hold' }], {
    required: 'ask',
    expires_after_seconds: 60,
  });
  const read = readApprovalPolicy(JSON.parse(JSON.stringify(policy)));
  expect(read).toEqual({ ok: true, policy });
  expect(read.ok && Object.isFrozen(read.policy.rules[0])).toBe(true);
});

const { signal } = new AbortController();

function policyOf(
  rules: readonly ApprovalRule[],
  more: Partial<ApprovalPolicy> = {},
): ApprovalPolicy {
  return { kind: 'approval_policy', schema_version: '1.0', rules, ...more };
}

function worldOf(tool: Tool, approvals?: ApprovalPolicy): ExecutorWorld {
  return executorWorld([tool], approvals === undefined ? {} : { approvals });
}

function askingWorld(tool: Tool = toolOf({ approval: 'explicit' })): ExecutorWorld {
  return worldOf(tool, policyOf([], { required: 'ask' }));
}

function watchedWorld() {
  let runs = 0;
  const run = async () => {
    runs += 1;
    return DONE;
  };
  return { world: askingWorld(toolOf({ run, approval: 'explicit' })), ran: () => runs };
}

function checkAs(
  { executor, context }: ExecutorWorld,
  { callId = 'call-1', runId = 'run-1' },
): CheckedCall {
  const call = { name: 'lookup', callId, arguments: { key: 'a' } };
  const checked = executor.check(call, { ...context, runId });
  if (checked.kind === 'checked') return checked;
  throw new Error(checked.outcome.text);
}

function requestOf(call: CheckedCall): ApprovalRequest {
  if (call.approval !== null) return call.approval;
  throw new Error('The call needs no approval.');
}

function decide(call: CheckedCall, more: Partial<ApprovalDecision> = {}): ApprovalDecision {
  return {
    kind: 'approval_decision',
    schema_version: '1.0',
    request_sha256: digest(requestOf(call)),
    decision: 'approved',
    decided_by: 'ada',
    reason: '',
    decided_at: '1970-01-01T00:00:00.000Z',
    expires_at: '2100-01-01T00:00:00.000Z',
    ...more,
  };
}

function at({ clock }: ExecutorWorld, laterMs: number): string {
  return new Date(clock.now() + laterMs).toISOString();
}

function prepared(call: ReturnType<CheckedCall['approve']>) {
  if (call.kind === 'checked') return call.prepare({ signal });
  throw new Error(call.outcome.text);
}

async function act(call: ReturnType<CheckedCall['approve']>) {
  const ready = await prepared(call);
  if (ready.kind === 'refused') throw new Error(ready.outcome.text);
  await using held = ready;
  return await held.run({ signal, idempotencyKey: 'k' });
}
