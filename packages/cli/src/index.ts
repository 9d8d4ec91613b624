export type { CliErrorCode } from './cli-error.ts';
export { type MainOptions, main } from './main.ts';
export type {
  BasePort,
  ConnectorOpener,
  ConnectorSettings,
  ContextFile,
  DecisionRequest,
  DoctorFinding,
  MillforgeFactory,
  MillforgePort,
  ModelSetting,
  ResumeOptions,
  RunHandle,
  RunRequest,
  RunSummary,
} from './millforge-port.ts';
export type { CliHost, TextSink } from './output/terminal.ts';
