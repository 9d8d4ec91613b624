export {
  findTranscriptProblems,
  type TranscriptMessage,
  type TranscriptProblem,
} from './testing/find-transcript-problems.ts';
export type { ScriptedFault } from './testing/scripted-fault.ts';
export { type ScriptedModel, scriptedModel } from './testing/scripted-model.ts';
export {
  type RecordedRequest,
  type ScriptedServer,
  type ScriptedServerOptions,
  type ScriptedServerReply,
  startScriptedServer,
} from './testing/start-scripted-server.ts';
