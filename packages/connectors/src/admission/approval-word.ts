import type { ToolApproval } from '@millforge/contracts';

/** Who has to agree to a call of an admitted tool, as records say it; people write the words of `ToolApproval`. */
export type ConnectorApproval = 'none' | 'millrace_explicit' | 'operator_out_of_band' | 'forbidden';

/** What the rest of the house calls each approval. */
export const TOOL_APPROVAL: { readonly [A in ConnectorApproval]: ToolApproval } = {
  none: 'none',
  millrace_explicit: 'explicit',
  operator_out_of_band: 'out_of_band',
  forbidden: 'forbidden',
};

/** Every word of records. */
const CONNECTOR_APPROVALS: readonly ConnectorApproval[] = [
  'none',
  'millrace_explicit',
  'operator_out_of_band',
  'forbidden',
];

/** The words that are told to whoever wrote another one. */
export const APPROVAL_WORDS = Object.values(TOOL_APPROVAL);

/** The approval that a word names; null for any other word. The short words are those of the rest of the house. */
export function approvalOf(word: unknown): ConnectorApproval | null {
  const [written] = Object.entries(TOOL_APPROVAL).find(([, short]) => short === word) ?? [];
  return CONNECTOR_APPROVALS.find((one) => one === word || one === written) ?? null;
}

/** The word that messages use for an approval, whichever of its words a document has. */
export function approvalWord(word: string): string {
  const approval = approvalOf(word);
  return approval === null ? word : TOOL_APPROVAL[approval];
}
