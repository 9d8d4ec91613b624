export type {
  ConnectorAdmissionManifest,
  ConnectorToolSelection,
  DeniedConnectorTool,
  DescriptionPolicy,
} from './admission/admission-manifest.ts';
export {
  type AdmissionPolicy,
  type ApprovalMatrix,
  readAdmissionPolicy,
} from './admission/admission-policy.ts';
export type { ConnectorAdmissionRecord } from './admission/admission-record.ts';
export {
  type AdmissionSnapshotFault,
  type ConnectorAdmissionBinding,
  type ConnectorAdmissionSnapshot,
  createAdmissionSnapshot,
} from './admission/admission-snapshot.ts';
export {
  type AdmissionInput,
  type AdmissionResult,
  admitConnectorTools,
} from './admission/admit-connector-tools.ts';
export type { ConnectorApproval } from './admission/approval-word.ts';
export { pinManifest } from './admission/pin-manifest.ts';
export type { AdmittedForm, AdmittedForms } from './admission/provider-forms.ts';
export { readAdmissionManifest } from './admission/read-admission-manifest.ts';
export { unpinManifest } from './admission/unpin-manifest.ts';
export type { BrokeredConnector, ContextLook, EvidenceLook } from './broker/brokered-connector.ts';
export {
  type ConnectorBroker,
  type ConnectorBrokerOptions,
  createConnectorBroker,
} from './broker/connector-broker.ts';
export { type ConnectorToolsOptions, createConnectorTools } from './broker/connector-tools.ts';
export type {
  CallOptions,
  ConnectorInvocationRequest,
  ConnectorTransport,
  ContextAnswer,
  DiscoverAnswer,
  Discovered,
  ProviderAnswer,
  TransportFailure,
  TransportOptions,
} from './broker/connector-transport.ts';
export { type ContextToolsOptions, createContextTools } from './broker/context-tools.ts';
export { mayRetry } from './broker/may-retry.ts';
export type { ProviderToolEvidence } from './broker/provider-evidence.ts';
export {
  type ConnectorDiscoverySnapshot,
  createDiscoverySnapshot,
  type DiscoveryFacts,
  isSameDiscovery,
  type ReadResult,
  readDiscoverySnapshot,
} from './discovery/discovery-snapshot.ts';
export type { DiscoveredProviderTool, ProviderToolDigests } from './discovery/provider-tool.ts';
export { type DiscoveryChange, diffDiscoveries } from './draft/diff-discoveries.ts';
export { draftManifest, type ManifestDraft, type ToolProposal } from './draft/draft-manifest.ts';
export type { KnownTools, ToolRisk } from './draft/find-risks.ts';
export { type ProposedSchema, proposeSchema, type SchemaChange } from './draft/propose-schema.ts';
export { diffManifests, type UpdatedManifest, updateManifest } from './draft/update-manifest.ts';
export type { ConnectorErrorCode } from './error-codes.ts';
export {
  type ConnectorIdentity,
  type ConnectorTransportKind,
  type ExpectedConnectorIdentity,
  identityDigest,
} from './identity/connector-identity.ts';
