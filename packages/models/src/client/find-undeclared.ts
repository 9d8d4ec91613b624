import type { ModelCapabilities, ModelMessage, ModelRequest } from '@millforge/contracts';

/**
 * What a request asks for and its model does not declare, in words; null when it may be sent.
 *
 * An option needs `supported`: a server that does not know a field refuses the request or, worse, drops
 * the field in silence. Tools go out unless they are declared unsupported, as most profiles say nothing.
 */
export function findUndeclared(
  { messages, tools, options = {} }: ModelRequest,
  capabilities: ModelCapabilities,
): string | null {
  if (tools.length > 0 && capabilities.tool_calls === 'unsupported') return 'tools';
  if (capabilities.images !== 'supported' && messages.some(hasImages)) return 'images';
  for (const name of OPTIONS) {
    if (options[name] !== undefined && capabilities[name] !== 'supported') {
      return `the option ${name}`;
    }
  }
  return null;
}

function hasImages(message: ModelMessage): boolean {
  return message.role === 'tool' && message.images !== undefined;
}

const OPTIONS = [
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'structured_output',
] as const;
