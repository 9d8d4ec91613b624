import type { OptionSpec, ParsedArguments } from '../arguments/parse-arguments.ts';

/** Options by which a source is compiled; `run` takes them too. */
export const COMPILE_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  catalog: {
    value: 'FILE',
    isRepeatable: true,
    help: 'tools that the harness may name; default those that ship',
  },
  profiles: { value: 'FILE', help: 'model profiles that the harness may name' },
  grant: {
    value: 'CAP[={…}]',
    isRepeatable: true,
    help: "capability that is granted, = and constraints as JSON bound it; given once, the configuration's grants do not count",
  },
  'stage-kind': { value: 'ID', help: 'stage to compile for; default the first of the source' },
  'expect-id': { value: 'ID', help: 'harness id that the source must have' },
  'legal-terminal': {
    value: 'RESULT',
    isRepeatable: true,
    help: 'terminal result that the caller handles; default those of the source',
  },
  'request-id': { value: 'ID', help: 'names the request in reports; default request.cli' },
  'compiler-identity': { value: 'JSON', help: "reproduce another compiler's plan" },
};

/** What the compile options say. */
export interface CompileSelection {
  /** Catalog files. */
  readonly catalogs: readonly string[];
  /** Profile file. */
  readonly profiles: string | null;
  /** Stage. */
  readonly stageKind: string | null;
  /** Harness id. */
  readonly expectedId: string | null;
  /** Terminal results. */
  readonly legalTerminals: readonly string[];
  /** Request id. */
  readonly requestId: string;
  /** Compiler identity as JSON text. */
  readonly identity: string | null;
  /** Names of the options that were given and mean something for a source only. */
  readonly given: readonly string[];
}

/** Reads the compile options of a command. */
export function compileSelection(args: ParsedArguments): CompileSelection {
  return {
    catalogs: args.list('catalog'),
    profiles: args.text('profiles'),
    stageKind: args.text('stage-kind'),
    expectedId: args.text('expect-id'),
    legalTerminals: args.list('legal-terminal'),
    requestId: args.text('request-id') ?? 'request.cli',
    identity: args.text('compiler-identity'),
    given: Object.keys(COMPILE_OPTIONS).filter(
      (name) => name !== 'grant' && args.text(name) !== null,
    ),
  };
}
