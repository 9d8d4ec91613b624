export type { Approval } from './publication/approve-publication.ts';
export { createPublications } from './publication/create-publications.ts';
export { type GitPublisherOptions, gitPublisher } from './publication/git-publisher.ts';
export type { GitUpdate } from './publication/git-update.ts';
export { type HttpPublisherOptions, httpPublisher } from './publication/http-publisher.ts';
export {
  type LocalFault,
  type LocalPublisher,
  type LocalPublisherOptions,
  localPublisher,
} from './publication/local-publisher.ts';
export type {
  PublicationAction,
  PublicationIntent,
  PublicationPayload,
  PublicationRequest,
} from './publication/publication-intent.ts';
export type {
  PublicationApproval,
  PublicationOperation,
  PublicationReason,
  PublicationState,
  PublicationView,
} from './publication/publication-view.ts';
export type {
  Attestation,
  DispatchOptions,
  IntendRequest,
  PublicationName,
  Publications,
  ReconcileOptions,
} from './publication/publications.ts';
export type {
  Inspection,
  InspectRequest,
  PayloadToCheck,
  PublishAnswer,
  Publisher,
  PublishRequest,
  ReadyRequest,
} from './publication/publisher.ts';
