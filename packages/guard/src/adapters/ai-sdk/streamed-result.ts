import { textOf } from '../read-field.ts';
import type { AiSdkPart, AiSdkResult } from './ai-sdk-shapes.ts';

/** A stream's parts as the result that the same request would have had without one. */
export function streamedResult(parts: readonly AiSdkPart[]): AiSdkResult {
  const content: AiSdkPart[] = [];
  const open = new Map<string, Block>();
  for (const part of parts) {
    const [type = '', place] =
      /^(text|reasoning)-(start|delta|end)$/.exec(part.type)?.slice(1) ?? [];
    if (place === undefined) {
      if (part.type === 'tool-call' || part.type === 'tool-result') content.push(part);
      continue;
    }
    const key = `${type} ${textOf(part, 'id') ?? ''}`;
    const known = place === 'start' ? undefined : open.get(key);
    const block = known ?? { type, text: '' };
    if (known === undefined) content.push(block);
    open.set(key, block);
    block.text += textOf(part, 'delta') ?? '';
    // The last word counts: a signature comes when the thought has ended.
    const metadata: unknown = Reflect.get(part, 'providerMetadata');
    if (metadata !== undefined) block.providerMetadata = metadata;
  }
  const finish = parts.find((part) => part.type === 'finish');
  return { ...NO_FINISH, ...finish, content };
}

interface Block extends AiSdkPart {
  text: string;
  providerMetadata?: unknown;
}

const NO_FINISH = {
  finishReason: { unified: 'other', raw: undefined },
  usage: { inputTokens: { total: undefined }, outputTokens: { total: undefined } },
};
