import type { JsonObject, ModelUsage } from '@millforge/contracts';

/** A model that is written down: its replies, in the order of the conversation. */
export interface ModelScript {
  /** Always `model_script`. */
  readonly kind: 'model_script';
  /** Always `1.0`. */
  readonly schema_version: '1.0';
  /** The reply at index n answers a request with n assistant messages; at most 10,000. */
  readonly replies: readonly ScriptedReply[];
}

/** One reply of a script; it has a content, calls, or both. */
export interface ScriptedReply {
  /** Text; null or blank for none. */
  readonly content?: string | null;
  /** Calls, in order. */
  readonly tool_calls?: readonly ScriptedCall[];
  /** Tokens to report; none reported unless given. */
  readonly usage?: ModelUsage;
}

/** One call of a scripted reply. */
export interface ScriptedCall {
  /** Name of the tool. */
  readonly name: string;
  /** Arguments as an object, or the exact text that the model wrote, which need not be JSON. */
  readonly arguments: JsonObject | string;
}
