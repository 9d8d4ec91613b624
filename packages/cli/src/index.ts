export type { CliErrorCode } from './cli-error.ts';
export { type MainOptions, main } from './main.ts';
export type { CliHost, TextSink } from './output/terminal.ts';
export type { BasePort, ContextFile } from './port/base-port.ts';
export type {
  ConnectorLogin,
  ConnectorLoginSettings,
  ConnectorOpener,
  ConnectorSettings,
} from './port/connector-port.ts';
export type {
  CustomToolSourceFile,
  CustomToolsOpener,
  OpenCustomTools,
} from './port/custom-tools-port.ts';
export type { DecisionRequest } from './port/decision-request.ts';
export type {
  DevelopHandle,
  DevelopPhase,
  DevelopRequest,
  DevelopResult,
} from './port/develop-port.ts';
export type { DoctorFinding } from './port/doctor-finding.ts';
export type { GoalKind } from './port/goal-kind.ts';
export type { MillforgeFactory, MillforgePort } from './port/millforge-port.ts';
export type { ModelSetting } from './port/model-setting.ts';
export type { CommandProfile, OperatorSettings } from './port/operator-settings.ts';
export type { PublicationPlace } from './port/publication-place.ts';
export type {
  ResumeReviewOptions,
  ReviewEvent,
  ReviewHandle,
  ReviewOutcome,
  ReviewRequest,
} from './port/review-port.ts';
export type { ResumeOptions, RunHandle, RunRequest, RunSummary } from './port/run-port.ts';
export type {
  PublisherReach,
  RunAttestation,
  RunPublicationName,
  RunPublicationRequest,
  RunPublications,
} from './port/run-publications.ts';
