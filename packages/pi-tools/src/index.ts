export type { CommandRunner, RunnableCommand, RunnerExit } from './bash/command-runner.ts';
export type { OnEffect, PiToolOptions } from './pi-tool-options.ts';
export { piTools } from './pi-tools.ts';
export type { PiProfile } from './profile.ts';
