import type { ModelClient, ModelRequest } from '@millforge/contracts';
import { createScriptedModel } from '../script/create-scripted-model.ts';
import type { ModelScript } from '../script/model-script.ts';

/** A model that answers from a script and remembers what it was asked. */
export interface ScriptedModel extends ModelClient {
  /** Requests, in order. */
  readonly requests: readonly ModelRequest[];
}

/**
 * Makes a scripted model that also records its requests.
 *
 * @throws `models/invalid-script` at once for a script that is wrong.
 */
export function scriptedModel(script: ModelScript): ScriptedModel {
  const model = createScriptedModel(script);
  const requests: ModelRequest[] = [];
  return {
    requests,
    complete(request, call) {
      requests.push({ messages: [...request.messages], tools: [...request.tools] });
      return model.complete(request, call);
    },
  };
}
