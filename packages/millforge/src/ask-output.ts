import {
  type CompiledHarnessPlan,
  fromStandardSchema,
  inferDisposition,
  MillforgeError,
  toPlainJson,
} from '@millforge/contracts';
import { admitOutputs, type SelectedOutputRequirement } from '@millforge/runtime';
import { millforgeError } from './millforge-error.ts';

/** Asks for one structured result with every terminal of a plan that is a success. */
export function askOutput(
  plan: CompiledHarnessPlan,
  schema: unknown,
): readonly SelectedOutputRequirement[] {
  return plan.nodes.flatMap(({ binding, disposition, terminal_result }) => {
    if (terminal_result === null) return [];
    const meaning = disposition ?? inferDisposition(binding.tool_id, terminal_result);
    if (meaning !== 'success') return [];
    return [{ terminalResult: terminal_result, required: true, schema }];
  });
}

/**
 * Brings what is asked for to the form in which a run keeps it: JSON Schema in its normal form.
 *
 * @throws `millforge/document` for a schema that cannot be asked for, or a terminal that is not there.
 */
export function normalOutputs(
  plan: CompiledHarnessPlan,
  requirements: readonly SelectedOutputRequirement[],
): readonly SelectedOutputRequirement[] {
  const plain = requirements.map((one) => {
    const read = fromStandardSchema(one.schema, 'input');
    if (read.ok) return { ...one, schema: read.value };
    throw millforgeError('millforge/document', `The schema of the result ${read.message}.`);
  });
  try {
    return [...admitOutputs(plan, plain)].map(([terminalResult, { required, schema }]) => ({
      terminalResult,
      required,
      schema: toPlainJson(schema),
    }));
  } catch (cause) {
    if (!MillforgeError.is(cause, 'runtime/invalid-output')) throw cause;
    throw millforgeError('millforge/document', cause.message, { cause });
  }
}
