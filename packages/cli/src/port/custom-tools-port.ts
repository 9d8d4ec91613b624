import type { Diagnostic, Tool } from '@millforge/contracts';

/** Compiles manifests of custom tools under a policy; their code runs in a sandbox, and not before a call. */
export type CustomToolsOpener = (request: {
  /** The manifests. */
  readonly manifests: readonly CustomToolSourceFile[];
  /** The policy, whatever it says. */
  readonly policy: unknown;
  /** Environment by which the folders are found that no code may see. */
  readonly env: Readonly<Record<string, string | undefined>>;
}) =>
  | OpenCustomTools
  | {
      /** Tells wrong manifests from tools. */
      readonly ok: false;
      /** The first that is wrong. */
      readonly path: string;
      /** What is wrong with it. */
      readonly diagnostics: readonly Diagnostic[];
    };

/** A manifest of custom tools as it stands in a file. */
export interface CustomToolSourceFile {
  /** Its path. */
  readonly path: string;
  /** Its text. */
  readonly content: string;
  /** How it is written. */
  readonly format: 'yaml' | 'json';
}

/** Custom tools with their code behind them. */
export interface OpenCustomTools extends AsyncDisposable {
  /** Tells them from manifests that are wrong. */
  readonly ok: true;
  /** The tools. */
  readonly tools: readonly Tool[];
  /** Where the code of each comes from, in the same order. */
  readonly kinds: readonly string[];
  /** Tools that no command line can perform, since their code is a function of a program. */
  readonly leftOut: readonly {
    /** Id of the tool. */
    readonly toolId: string;
    /** Its version. */
    readonly toolVersion: number;
    /** The function that it asks for. */
    readonly implementationId: string;
  }[];
}
