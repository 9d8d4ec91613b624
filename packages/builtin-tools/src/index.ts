export type { Baseline, BaselineFile } from './baseline/baseline.ts';
export { type BaselineOptions, loadBaseline, openBaseline } from './baseline/open-baseline.ts';
export type { BuiltinRun, FindRun } from './builtin-run.ts';
export type { BuiltinToolOptions, OnEffect } from './builtin-tool-options.ts';
export { builtinTools } from './builtin-tools.ts';
