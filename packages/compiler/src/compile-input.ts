import type {
  CompilerIdentity,
  Diagnostic,
  ModelProfileCatalog,
  ToolCatalog,
} from '@millforge/contracts';
import type { CompileRequest } from './compile-request.ts';

/** Everything that a compilation sees besides the source. */
export interface CompileInput {
  /** The tools that may be named. */
  readonly catalog: ToolCatalog;
  /** The model profiles that may be named. */
  readonly profiles: ModelProfileCatalog;
  /** What is asked for. */
  readonly request: CompileRequest;
  /** Who signs the plan; part of its digest. Default this compiler. */
  readonly identity?: CompilerIdentity;
  /** Hears of each phase when it has run. */
  readonly onPhase?: (phase: CompilePhase) => void;
}

/** One phase that has run. */
export interface CompilePhase {
  /** Which. */
  readonly name: 'parse' | 'read' | 'resolve' | 'check' | 'lower' | 'emit';
  /** What it found wrong. */
  readonly diagnostics: readonly Diagnostic[];
  /** What it made, as readable text for tests and curious people; empty when it made nothing. */
  readonly print: () => string;
}
