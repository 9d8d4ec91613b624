export type { CliErrorCode } from './cli-error.ts';
export { type MainOptions, main } from './main.ts';
export type {
  BasePort,
  CommandProfile,
  ConnectorLogin,
  ConnectorLoginSettings,
  ConnectorOpener,
  ConnectorSettings,
  ContextFile,
  CustomToolSourceFile,
  CustomToolsOpener,
  DecisionRequest,
  DevelopHandle,
  DevelopRequest,
  DevelopResult,
  DoctorFinding,
  MillforgeFactory,
  MillforgePort,
  ModelSetting,
  OpenCustomTools,
  OperatorSettings,
  ResumeOptions,
  ResumeReviewOptions,
  ReviewEvent,
  ReviewHandle,
  ReviewOutcome,
  ReviewRequest,
  RunHandle,
  RunRequest,
  RunSummary,
} from './millforge-port.ts';
export type { CliHost, TextSink } from './output/terminal.ts';
export type {
  PublicationName,
  PublicationPlace,
  PublicationPort,
  PublisherReach,
} from './publication-port.ts';
