import { type Disposition, inferDisposition, type PlanNode } from '@millforge/contracts';

/** What the end of a node means, stated or by the names of a version 1.0 plan; null for a node that ends nothing. */
export function dispositionOf({
  binding,
  disposition,
  terminal_result: result,
}: PlanNode): Disposition | null {
  return result === null ? null : (disposition ?? inferDisposition(binding.tool_id, result));
}
