export { createLocator, type LocateOptions, locate } from './locate.ts';
export {
  type ParsedSource,
  type ParseSourceOptions,
  parseSource,
  type SourceInput,
} from './parse-source.ts';
export {
  entriesOf,
  type SourceDocument,
  type SourceIndex,
  type SourceLocation,
} from './source-document.ts';
export { SOURCE_LIMITS, type SourceLimits } from './source-limits.ts';
