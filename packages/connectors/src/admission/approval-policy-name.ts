import type { SideEffectClass, ToolApproval } from '@millforge/contracts';
import type { FieldReader, Place } from '../documents/field-reader.ts';
import {
  APPROVAL_WORDS,
  approvalOf,
  type ConnectorApproval,
  TOOL_APPROVAL,
} from './approval-word.ts';

/** Reads an approval; null where there is none, of which nothing else follows. */
export function readApproval(reader: FieldReader, at: Place): ConnectorApproval | null {
  const given = at.of.values[at.key];
  const approval = approvalOf(given);
  // Tells what is wrong with the word, or that there is none.
  if (approval === null) reader.word(at, APPROVAL_WORDS);
  return approval;
}

/** What the boundary of a run calls it. */
export function toToolApproval(approval: ConnectorApproval): ToolApproval {
  return TOOL_APPROVAL[approval];
}

/** Whether a class of tools may change something or reaches the outside. */
export function isSideEffecting(effect: SideEffectClass): boolean {
  return effect !== 'read_only';
}
