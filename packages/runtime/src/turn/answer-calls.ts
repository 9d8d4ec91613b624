import type { OutcomeImage } from '@millforge/contracts';
import { type BatchReport, settleBatch } from '@millforge/guard';
import { type StepCall, stepNudgeText } from '@millforge/guard/steps';
import { endExhausted, type RunEnding } from '../run-ending.ts';
import type { Run } from '../run-state.ts';
import { type AskedCall, answerCall, refusePremature } from './answer-call.ts';
import type { CallPlace } from './call-place.ts';
import type { Answer } from './refuse-call.ts';
import { resultMessage } from './result-images.ts';

/**
 * Answers every call of a reply, in order, one result each; null when the run goes on.
 *
 * A terminal among the calls before its required steps refuses the whole batch. Otherwise each call
 * stands for itself and sees what those before it did. Nothing behind the call that ends the run is
 * performed.
 */
export async function answerCalls(
  run: Run,
  batch: readonly AskedCall[],
): Promise<RunEnding | null> {
  const premature = findPremature(run, batch);
  if (premature !== null) return refuseBatch(run, batch, premature);
  const report = noMistakes();
  for (const asked of batch) {
    const answering = answerCall(run, asked);
    const answer = answering instanceof Promise ? await answering : answering;
    if (answer.kind === 'ending') {
      skipRest(run, batch.slice(asked.place.index + 1));
      return answer.ending;
    }
    if (answer.mistake !== null) report[answer.mistake] = true;
    if (answer.performed) report.performedCalls += 1;
    if (answer.images === undefined) addText(run, asked.place, answer);
    else await addWithImages(run, asked.place, { ...answer, images: answer.images });
  }
  return settle(run, report);
}

function noMistakes(): { -readonly [Field in keyof BatchReport]: BatchReport[Field] } {
  return {
    performedCalls: 0,
    unusableArguments: false,
    failedCall: false,
    unmetPrerequisite: false,
    prematureTerminal: false,
  };
}

function settle(run: Run, batch: BatchReport): RunEnding | null {
  const { state, exhausted } = settleBatch(run.guard, { policy: run.policy, batch });
  run.guard = state;
  return exhausted === null ? null : endExhausted(exhausted);
}

type Premature = { readonly terminal: string; readonly pending: readonly string[] };

function findPremature(run: Run, batch: readonly AskedCall[]): Premature | null {
  // Only a terminal can be too early, and most batches have none.
  const terminals: StepCall[] = [];
  for (const { call } of batch) {
    const node = call.kind === 'accepted' ? run.nodes.get(call.name) : undefined;
    if (node === undefined || node.terminal_result === null) continue;
    terminals.push({ nodeId: node.node_id, arguments: null });
  }
  return terminals.length === 0 ? null : run.gate.check(run.steps, terminals).premature;
}

function refuseBatch(
  run: Run,
  batch: readonly AskedCall[],
  { terminal, pending }: Premature,
): RunEnding | null {
  const unusableArguments = batch.some(
    ({ call }) => call.kind !== 'accepted' && call.reason !== 'unknown-tool',
  );
  const ending = settle(run, { ...noMistakes(), prematureTerminal: true, unusableArguments });
  const tier = Math.min(run.guard.consecutive.premature_terminals, 3);
  const message = stepNudgeText({ kind: 'premature-terminal', tier, terminal, pending });
  for (const asked of batch) {
    addText(run, asked.place, refusePremature(run, asked, message));
  }
  return ending;
}

/** The calls behind the one that ended the run: no request follows, so only the trail is told. */
function skipRest(run: Run, rest: readonly AskedCall[]): void {
  for (const { place, replayed } of rest) {
    run.options.trail.append({
      key: `skipped/${place.turn}/${place.index}`,
      step: place.turn,
      type: 'call-skipped',
      data: { call_id: place.callId, tool: place.tool, message: RUN_ENDED },
    });
    run.observer.emit({
      kind: 'call-refused',
      ...place,
      replayed,
      code: 'run_ended',
      message: RUN_ENDED,
    });
  }
}

async function addWithImages(
  run: Run,
  place: CallPlace,
  { text, images }: { readonly text: string; readonly images: readonly OutcomeImage[] },
): Promise<void> {
  const { artifacts } = run.options;
  run.conversation.add(await resultMessage(messageOf(place, text), images, artifacts));
}

function addText(run: Run, place: CallPlace, answer: Answer): void {
  if (answer.kind === 'result') run.conversation.add(messageOf(place, answer.text));
}

function messageOf(place: CallPlace, content: string) {
  return { role: 'tool', tool_call_id: place.callId, name: place.tool, content } as const;
}

const RUN_ENDED = 'Not performed: the run has ended.';
