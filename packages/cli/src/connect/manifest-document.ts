import type {
  ConnectorAdmissionManifest,
  ConnectorApproval,
  ConnectorToolSelection,
  ToolProposal,
} from '@millforge/connectors';

/** A manifest in the words that people write; whoever reads it takes the others, too. */
export function manifestDocument(manifest: ConnectorAdmissionManifest): object {
  return {
    ...manifest,
    selected_tools: manifest.selected_tools.map(selectionDocument),
    denied_tools: manifest.denied_tools.map((denied) => ({
      ...denied,
      approval_policy: WORDS[denied.approval_policy],
    })),
  };
}

/** Proposals in the words that people write, so that a selection can be moved into a manifest. */
export function proposalDocuments(proposals: readonly ToolProposal[]): readonly object[] {
  return proposals.map(({ selection, ...proposal }) => ({
    ...proposal,
    selection: selection === null ? null : selectionDocument(selection),
  }));
}

function selectionDocument(selection: ConnectorToolSelection): object {
  return { ...selection, approval_policy: WORDS[selection.approval_policy] };
}

const WORDS: { readonly [A in ConnectorApproval]: string } = {
  none: 'none',
  millrace_explicit: 'explicit',
  operator_out_of_band: 'out_of_band',
  forbidden: 'forbidden',
};
