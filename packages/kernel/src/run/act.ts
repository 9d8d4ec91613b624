import type { ActContext, ActResult, JsonValue } from '@millforge/contracts';

/** Performs an operation. */
export type Act<T extends JsonValue> = (context: ActContext) => Promise<ActResult<T>>;
