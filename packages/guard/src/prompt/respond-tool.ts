import type { ModelTool } from '@millforge/contracts';

/** A tool that stands for talking: for models that only stay in order as long as they call tools. */
export const respondTool: ModelTool = Object.freeze({
  name: 'respond',
  description: 'Says something to the user. Use it for answers and questions; it performs nothing.',
  parameters: Object.freeze({
    type: 'object',
    additionalProperties: false,
    properties: Object.freeze({ message: Object.freeze({ type: 'string' }) }),
    required: Object.freeze(['message']),
  }),
});
