export type { StepCount } from './step-counts.ts';
export {
  type CallVerdict,
  createStepGate,
  type StepAlternatives,
  type StepCall,
  type StepGate,
  type StepNode,
  type StepPrerequisite,
  type StepState,
  type StepVerdict,
} from './step-gate.ts';
export {
  type StepNudge,
  stepNudgeText,
  type UnmetPrerequisite,
  type UnmetStep,
} from './step-nudge-text.ts';
