export type { BuiltinToolOptions, OnEffect } from './builtin-tool-options.ts';
export { builtinTools } from './builtin-tools.ts';
