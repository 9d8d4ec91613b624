import type { ModelCapabilities, ModelRequest } from '@millforge/contracts';

/**
 * What a request asks for and its model does not declare, in words; null when it may be sent.
 *
 * An option needs `supported`: a server that does not know a field refuses the request or, worse, drops
 * the field in silence. Tools go out unless they are declared unsupported, as most profiles say nothing.
 */
export function findUndeclared(
  { tools, options = {} }: ModelRequest,
  capabilities: ModelCapabilities,
): string | null {
  if (tools.length > 0 && capabilities.tool_calls === 'unsupported') return 'tools';
  for (const name of OPTIONS) {
    if (options[name] !== undefined && capabilities[name] !== 'supported') {
      return `the option ${name}`;
    }
  }
  return null;
}

const OPTIONS = [
  'tool_choice',
  'parallel_tool_calls',
  'max_output_tokens',
  'structured_output',
] as const;
