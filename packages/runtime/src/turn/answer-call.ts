import type {
  JsonObject,
  JsonValue,
  OperationOutcome,
  PlanNode,
  SelectedOutput,
  ToolOutcome,
} from '@millforge/contracts';
import type { Exhaustion, InspectedCall } from '@millforge/guard';
import { type RepeatVerdict, repeatKey } from '@millforge/guard/limits';
import { stepNudgeText } from '@millforge/guard/steps';
import type {
  CallRecord,
  CheckedCall,
  PrerequisiteDecision,
  RefusedCall,
} from '@millforge/registry';
import { takeCandidate } from '../output/take-candidate.ts';
import { endExhausted, type RunEnding } from '../run-ending.ts';
import type { Run } from '../run-state.ts';
import { approveCall } from './approve-call.ts';
import type { CallPlace } from './call-place.ts';
import { lackingArtifacts } from './lacking-artifacts.ts';
import { judgeRepeat, noteRepeat, type Repeatable } from './note-repeat.ts';
import { observedOverrun } from './observed-overrun.ts';
import { actCall, beginCall, callOperation, endCall, freeCall } from './perform-call.ts';
import { type Answer, type CallRefusal, type Mistake, refuseCall } from './refuse-call.ts';

/** One call of a reply that may be performed as far as the batch is concerned. */
export interface AskedCall {
  readonly place: CallPlace;
  /** What the guard said of it. */
  readonly call: InspectedCall;
  /** Arguments as the model wrote them. */
  readonly text: string;
  /** What that text says, repaired when the call was accepted; undefined when it is no JSON. */
  readonly value: JsonValue | undefined;
  /** Whether the reply was replayed. */
  readonly replayed: boolean;
}

/** What the run has against a call that the executor may have nothing against. */
type RefusalOfRun = Pick<CallRefusal, 'message' | 'checked'>;

/**
 * Answers one call: refuses it with a reason that the model can act on, which needs no waiting, or
 * performs it.
 */
export function answerCall(run: Run, asked: AskedCall): Answer | Promise<Answer> {
  const { call, place, replayed } = asked;
  const node = run.nodes.get(call.name);
  if (call.kind !== 'accepted' || node === undefined) return refuseUnusable(run, asked);
  noteRepairs(run, place, call);
  const chosen = takeCandidate(call.arguments, run.outputs.get(node.terminal_result ?? ''));
  const [verdict] = run.gate.check(run.steps, [
    { nodeId: node.node_id, arguments: chosen.rest },
  ]).calls;
  const unmet = verdict?.unmet ?? [];
  const checked = check(run, asked, {
    arguments: chosen.rest,
    prerequisites: verdict?.decisions ?? [],
  });
  const spent = verdict?.spent ?? null;
  if (spent !== null) {
    return refuseCall(run, {
      place,
      replayed,
      code: 'policy_denied',
      mistake: 'unmetPrerequisite',
      message: stepNudgeText({ kind: 'calls-spent', tool: call.name, max: spent }),
      checked,
    });
  }
  if (unmet.length > 0) {
    return refuseCall(run, {
      place,
      replayed,
      code: 'prerequisite_denied',
      mistake: 'unmetPrerequisite',
      message: stepNudgeText({ kind: 'unmet-prerequisite', tool: call.name, unmet }),
      checked,
    });
  }
  if (chosen.refusal !== null) {
    return refuseCandidate(run, asked, { message: chosen.refusal, checked });
  }
  const lacking = lackingArtifacts(run, node, node.produced_artifact_ids);
  if (lacking !== null) return refuseTerminal(run, asked, { message: lacking, checked });
  if (checked.kind === 'refused') return answerRefused(run, asked, checked);
  const args = chosen.rest;
  const key = keyOf(call.name, checked);
  const repeatable = { node, name: call.name, arguments: args, key };
  const repeat = judgeRepeat(run, repeatable);
  if (repeat.kind === 'block') {
    return refuseRepeat(run, asked, { message: repeat.message, checked });
  }
  const overrun = observedOverrun(run, 'tool-call');
  if (overrun !== null) return endOverrun(run, asked, { overrun, checked });
  return answerAdmitted(run, asked, { checked, repeatable, repeat, output: chosen.output });
}

/** What tells a call from others: the digest of its arguments is known already, and says no less than they do. */
function keyOf(name: string, { input, inputSha256 }: CheckedCall): string {
  return inputSha256 === null ? repeatKey({ name, arguments: input }) : `${name} ${inputSha256}`;
}

/** A call that nothing in the plan is against. */
interface Admitted {
  readonly checked: CheckedCall;
  readonly repeatable: Repeatable;
  readonly repeat: RepeatVerdict;
  /** The structured result that it brought. */
  readonly output: SelectedOutput | null;
}

async function answerAdmitted(run: Run, asked: AskedCall, admitted: Admitted): Promise<Answer> {
  const { checked } = admitted;
  const { place } = asked;
  const request = checked.approval;
  const approved = request === null ? checked : await approveCall(run, place, { checked, request });
  if (approved.kind === 'ending') return approved;
  if (approved.kind === 'refused') return answerRefused(run, asked, approved);
  const call = beginCall(run, place, approved);
  let recorded: OperationOutcome<CallRecord>;
  try {
    recorded = await run.options.operations.perform(callOperation(call), (context) =>
      actCall(call, context),
    );
  } finally {
    const freed = freeCall(call);
    if (freed !== null) await freed;
  }
  const performed = endCall(call, recorded);
  return performed.kind === 'ending'
    ? performed
    : answerPerformed(run, asked, { admitted, outcome: performed.outcome });
}

function answerPerformed(
  run: Run,
  asked: AskedCall,
  { admitted, outcome }: { readonly admitted: Admitted; readonly outcome: ToolOutcome },
): Answer {
  const { checked, output, repeatable: call, repeat: verdict } = admitted;
  const { node } = call;
  const { place } = asked;
  if (outcome.status !== 'not_executed') run.steps = run.gate.recordCall(run.steps, node.node_id);
  const answer =
    outcome.status === 'success'
      ? answerSuccess(run, { asked, node, outcome, input: checked.input, output })
      : answerFailure(place, outcome);
  return noteRepeat(run, { call, place, verdict }, answer);
}

/** Answers a call that has had the same result again and again; it costs a turn and is charged to nothing else. */
function refuseRepeat(run: Run, { place, replayed }: AskedCall, why: RefusalOfRun): Answer {
  return refuseCall(run, { place, replayed, code: 'policy_denied', mistake: null, ...why });
}

/** Ends the run before a call for which no room is left; the trail is told of the call all the same. */
function endOverrun(
  run: Run,
  { place, replayed }: AskedCall,
  { overrun, checked }: { readonly overrun: Exhaustion; readonly checked: CheckedCall },
): Answer {
  const { message } = overrun;
  refuseCall(run, {
    place,
    replayed,
    code: 'budget_exhausted',
    mistake: null,
    message,
    checked,
  });
  return { kind: 'ending', ending: endExhausted(overrun) };
}

/** Answers a call of a batch that a terminal came too early in. */
export function refusePremature(run: Run, asked: AskedCall, message: string): Answer {
  const { call, place, replayed } = asked;
  const node = run.nodes.get(call.name);
  if (call.kind !== 'accepted' || node === undefined) return refuseUnusable(run, asked);
  const { rest } = takeCandidate(call.arguments, run.outputs.get(node.terminal_result ?? ''));
  const [verdict] = run.gate.check(run.steps, [{ nodeId: node.node_id, arguments: rest }]).calls;
  const prerequisites = verdict?.decisions ?? [];
  return refuseCall(run, {
    place,
    replayed,
    code: 'terminal_intent_invalid',
    mistake: 'prematureTerminal',
    message,
    checked: check(run, asked, { arguments: rest, prerequisites }),
  });
}

/** Answers a call that the guard refused; the executor only words its trace. */
function refuseUnusable(run: Run, asked: AskedCall): Answer {
  const { call, place, replayed, text, value } = asked;
  const checked = check(run, asked, {
    arguments: value === undefined ? text : value,
    prerequisites: [],
  });
  const isUnknown = call.kind === 'accepted' || call.reason === 'unknown-tool';
  return refuseCall(run, {
    place,
    replayed,
    code: isUnknown ? 'not_found' : 'invalid_arguments',
    mistake: isUnknown ? null : 'unusableArguments',
    message:
      call.kind === 'accepted'
        ? `[not_found] There is no ${place.tool}.`
        : (wordsOfTool(checked, value) ?? call.message),
    checked,
  });
}

/** What the tool says itself of arguments that were JSON at least. */
function wordsOfTool(checked: CheckedCall | RefusedCall, value: JsonValue | undefined) {
  return checked.kind === 'refused' && value !== undefined ? checked.toolWords : undefined;
}

function check(
  run: Run,
  { call, place }: AskedCall,
  asking: {
    readonly arguments: unknown;
    readonly prerequisites: readonly PrerequisiteDecision[];
  },
): CheckedCall | RefusedCall {
  const { runId, workspace, grants } = run.options;
  return run.executor.check(
    { name: call.name, callId: place.callId, arguments: asking.arguments },
    { runId, turn: place.turn, workspace, grants, prerequisites: asking.prerequisites },
  );
}

function noteRepairs(
  run: Run,
  place: CallPlace,
  call: Extract<InspectedCall, { kind: 'accepted' }>,
): void {
  const { repairs, writtenName, rescued } = call;
  if (repairs.length === 0 && writtenName === undefined && rescued === undefined) return;
  const more = Math.max(0, repairs.length - MAX_NOTED);
  run.options.trail.append({
    key: `repair/${place.turn}/${place.index}`,
    step: place.turn,
    type: 'arguments-repaired',
    data: {
      call_id: place.callId,
      tool: place.tool,
      repairs: repairs
        .slice(0, MAX_NOTED)
        .map(({ path, kind }) => ({ path: run.redact(path), kind })),
      ...(more === 0 ? {} : { more }),
      ...(writtenName === undefined ? {} : { written_name: run.redact(writtenName.slice(0, 256)) }),
      ...(rescued === undefined ? {} : { rescued_from: rescued }),
    },
  });
}

function refuseTerminal(run: Run, { place, replayed }: AskedCall, why: RefusalOfRun): Answer {
  return refuseCall(run, {
    place,
    replayed,
    code: 'terminal_intent_invalid',
    mistake: 'prematureTerminal',
    ...why,
  });
}

/** A structured result that the guard let pass and that is larger than a result may be. */
function refuseCandidate(run: Run, { place, replayed }: AskedCall, why: RefusalOfRun): Answer {
  return refuseCall(run, {
    place,
    replayed,
    code: 'terminal_intent_invalid',
    mistake: 'unusableArguments',
    ...why,
  });
}

function answerRefused(run: Run, asked: AskedCall, refused: RefusedCall): Answer {
  const { outcome } = refused;
  const { place, replayed } = asked;
  const mistake = mistakeOf(outcome);
  const answer = refuseCall(run, {
    place,
    replayed,
    code: outcome.error_code ?? 'policy_denied',
    message: resultText(outcome),
    mistake: mistake === 'fatal' ? null : mistake,
    checked: refused,
  });
  return mistake === 'fatal' ? { kind: 'ending', ending: toolFailed(place, outcome) } : answer;
}

function answerFailure(place: CallPlace, outcome: ToolOutcome): Answer {
  const mistake = mistakeOf(outcome);
  if (mistake === 'fatal') return { kind: 'ending', ending: toolFailed(place, outcome) };
  const performed = outcome.status !== 'not_executed';
  return { kind: 'result', text: resultText(outcome), mistake, performed };
}

interface Succeeded {
  readonly asked: AskedCall;
  readonly node: PlanNode;
  readonly outcome: ToolOutcome;
  readonly input: JsonObject;
  readonly output: SelectedOutput | null;
}

function answerSuccess(run: Run, { asked, node, outcome, input, output }: Succeeded): Answer {
  for (const id of outcome.artifact_ids) run.artifacts.add(id);
  if (node.terminal_result === null) {
    run.steps = run.gate.record(run.steps, node.node_id, input);
    const { text, images } = outcome;
    const answer = { kind: 'result', text, mistake: null, performed: true } as const;
    return images === undefined ? answer : { ...answer, images };
  }
  const lacking = lackingArtifacts(run, node, []);
  if (lacking !== null) return refuseTerminal(run, asked, { message: lacking, checked: null });
  const { place } = asked;
  run.options.trail.append({
    key: `terminal/${place.turn}`,
    step: place.turn,
    type: 'terminal-accepted',
    data: {
      call_id: place.callId,
      node_id: node.node_id,
      terminal_result: node.terminal_result,
    },
  });
  // A terminal that is told more than a summary, as what keeps the model from going on, words it itself.
  const said = [outcome.data['summary'], input['summary']].find(isSaid);
  const summary = said === undefined ? outcome.text : run.redact(said);
  return { kind: 'ending', ending: { kind: 'terminal', node, summary, selectedOutput: output } };
}

function isSaid(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Which budget a failed outcome is charged to: none for what a tool foresees, its time limit included. */
function mistakeOf(outcome: ToolOutcome): Mistake | 'fatal' | null {
  if (outcome.status === 'not_executed') {
    return outcome.error_code === 'invalid_arguments' ? 'unusableArguments' : null;
  }
  if (outcome.status !== 'hard_failure') return null;
  return outcome.error_code === 'implementation_error' ? 'failedCall' : 'fatal';
}

function resultText({ error_code, text }: ToolOutcome): string {
  return error_code === null ? text : `[${error_code}] ${text}`;
}

function toolFailed({ tool }: CallPlace, outcome: ToolOutcome): RunEnding {
  return {
    kind: 'failure',
    status: 'failed',
    failureClass: 'tool_failed',
    message: `The call of ${tool} failed for good: ${resultText(outcome)}`,
  };
}

/** A list of many thousand items may need a repair of each. */
const MAX_NOTED = 64;
