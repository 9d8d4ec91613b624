import type { SideEffectClass, ToolApproval } from '@millforge/contracts';
import type { FieldReader, Place } from '../documents/field-reader.ts';

/** Who has to agree to a call of an admitted tool, as documents say it. */
export type ConnectorApproval = 'none' | 'millrace_explicit' | 'operator_out_of_band' | 'forbidden';

/** Every word for approval, for readers of documents. */
export const CONNECTOR_APPROVALS: readonly ConnectorApproval[] = [
  'none',
  'millrace_explicit',
  'operator_out_of_band',
  'forbidden',
];

/** The approval that a word names; null for any other word. The short words are those of the rest of the house. */
export function approvalOf(word: unknown): ConnectorApproval | null {
  const [written] = Object.entries(TOOL_APPROVAL).find(([, short]) => short === word) ?? [];
  return CONNECTOR_APPROVALS.find((one) => one === word || one === written) ?? null;
}

/** Reads an approval; null where there is none, of which nothing else follows. */
export function readApproval(reader: FieldReader, at: Place): ConnectorApproval | null {
  const given = at.of.values[at.key];
  const approval = approvalOf(given);
  // Tells what is wrong with the word, or that there is none.
  if (approval === null) reader.word(at, APPROVAL_WORDS);
  return approval;
}

/** The word that messages use for an approval, whichever of its words a document has. */
export function approvalWord(word: string): string {
  const approval = approvalOf(word);
  return approval === null ? word : TOOL_APPROVAL[approval];
}

/** What the boundary of a run calls it. */
export function toToolApproval(approval: ConnectorApproval): ToolApproval {
  return TOOL_APPROVAL[approval];
}

/** Whether a class of tools may change something or reaches the outside. */
export function isSideEffecting(effect: SideEffectClass): boolean {
  return effect !== 'read_only';
}

const TOOL_APPROVAL: { readonly [A in ConnectorApproval]: ToolApproval } = {
  none: 'none',
  millrace_explicit: 'explicit',
  operator_out_of_band: 'out_of_band',
  forbidden: 'forbidden',
};

/** The words that are told to whoever wrote another one. */
export const APPROVAL_WORDS = Object.values(TOOL_APPROVAL);
