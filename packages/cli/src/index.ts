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
  DecisionRequest,
  DoctorFinding,
  MillforgeFactory,
  MillforgePort,
  ModelSetting,
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
