import { MillforgeError } from '@millforge/contracts';
import type { GuardedCall, GuardedTurn } from '../../turn/guard-turn.ts';
import { textOf } from '../read-field.ts';
import type { AiSdkPart, AiSdkResult, AiSdkUsage } from './ai-sdk-shapes.ts';
import { isOwnCall } from './reply-of.ts';

/** The result that the SDK sees for a turn: the last one as it came, or with what the guard changed. */
export function guardedResult<Result extends AiSdkResult>(
  turn: GuardedTurn,
  results: readonly Result[],
): Result {
  const last = results.at(-1);
  if (last === undefined) throw new MillforgeError('internal/no-result', 'A turn had no result.');
  const usage = results.slice(1).reduce((sum, one) => addUsage(sum, one.usage), results[0]?.usage);
  if (isUnchanged(turn, last)) return results.length === 1 ? last : { ...last, usage };
  const kept = last.content.filter((part) => part.type !== 'text' && !isOwnCall(part));
  const text = turn.content === null ? [] : [{ type: 'text', text: turn.content }];
  const calls = turn.calls.map((call) => callPart(call, last.content));
  const finishReason = finishReasonOf(turn, last.finishReason);
  return { ...last, content: [...kept, ...text, ...calls], finishReason, usage };
}

/** The part for a call: as the provider made it where it says the same. */
export function callPart(call: GuardedCall, parts: readonly AiSdkPart[]): AiSdkPart {
  const made = {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    input: call.arguments,
  } as const;
  const given = parts.find((part) => textOf(part, 'toolCallId') === call.id && isOwnCall(part));
  return given === undefined ? made : { ...given, ...made };
}

/** Why the turn ended, as the SDK reads it: calls only count under their own reason. */
export function finishReasonOf(
  turn: GuardedTurn,
  given: AiSdkResult['finishReason'],
): AiSdkResult['finishReason'] {
  if (turn.calls.length > 0) return { ...given, unified: 'tool-calls' };
  return given.unified === 'tool-calls' ? { ...given, unified: 'stop' } : given;
}

/** The sum of two counts of tokens, field by field. */
export function addUsage<Usage extends AiSdkUsage>(left: Usage | undefined, right: Usage): Usage {
  if (left === undefined) return right;
  const inputTokens = addFields(left.inputTokens, right.inputTokens);
  const outputTokens = addFields(left.outputTokens, right.outputTokens);
  return { ...right, inputTokens, outputTokens };
}

function addFields<Fields extends object>(left: Fields, right: Fields): Fields {
  const sums = Object.entries(right).map(([name, value]) => {
    const other: unknown = Reflect.get(left, name);
    const sum = typeof value === 'number' && typeof other === 'number' ? value + other : undefined;
    return [name, sum ?? value ?? other];
  });
  return { ...right, ...Object.fromEntries(sums) };
}

function isUnchanged(turn: GuardedTurn, { content }: AiSdkResult): boolean {
  const calls = content.filter(isOwnCall);
  const text = content.flatMap((part) => (part.type === 'text' ? [textOf(part, 'text')] : []));
  return (
    (turn.content ?? '') === text.join('') &&
    calls.length === turn.calls.length &&
    calls.every(
      (part, index) =>
        textOf(part, 'toolCallId') === turn.calls[index]?.id &&
        textOf(part, 'toolName') === turn.calls[index]?.name &&
        textOf(part, 'input') === turn.calls[index]?.arguments,
    )
  );
}
