import type { ModelCapabilities } from '@millforge/contracts';
import type { ModelProfile } from './model-profile.ts';

/** What a profile declares, `unknown` for what it leaves open; never found out by trying. */
export function modelCapabilities({ capabilities }: ModelProfile): ModelCapabilities {
  return Object.freeze({
    tool_calls: 'unknown',
    tool_choice: 'unknown',
    parallel_tool_calls: 'unknown',
    max_output_tokens: 'unknown',
    structured_output: 'unknown',
    images: 'unknown',
    ...capabilities,
  });
}
