export { announcesAction } from './intent/announces-action.ts';
export { type SplitText, splitReasoning } from './intent/split-reasoning.ts';
export {
  type RescuedCall,
  type RescuedText,
  type RescueOptions,
  rescueToolCalls,
} from './rescue/rescue-tool-calls.ts';
export type { TextCallFormat } from './rescue/text-call.ts';
export { createTextRelease, type TextRelease } from './stream/text-release.ts';
