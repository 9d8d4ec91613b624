import { canonicalJson, type JsonValue } from '@millforge/contracts';
import { userDataDirectory } from '../config/effective-config.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { printRunResult } from './watch-run.ts';

/** Lists the runs of a data directory, or shows how one stands. */
export const runsCommand: Command = {
  command: 'runs',
  positionals: ['RUN?'],
  summary: 'list the runs; one run: its state, budget and holds',
  example: 'millforge runs run_01hv3k --json',
  options: {
    json: { value: null, help: 'JSON instead of text' },
    data: { value: 'DIR', help: 'data directory' },
  },
  async run({ host, createMillforge }, args) {
    const dataDir = await userDataDirectory(args.text('data'), host);
    await using millforge = createMillforge({ dataDir, env: host.env });
    const [runId] = args.positionals;
    const isJson = args.has('json');
    if (runId !== undefined) {
      const result = await millforge.readRun(runId);
      printRunResult(host, { isJson }, result);
      if (!isJson) {
        const { used, reserved, limit } = result.budget;
        writeLine(host.stdout, `  turns: ${used} used, ${reserved} reserved, ${limit} allowed`);
      }
      return 0;
    }
    const runs = await millforge.listRuns();
    for (const run of runs) {
      writeLine(
        host.stdout,
        isJson
          ? canonicalJson(listed(run), { newline: false })
          : `${run.runId}  ${run.createdAt}  ${run.status.padEnd(10)}  ${run.task}`,
      );
    }
    if (runs.length === 0 && !isJson) writeLine(host.stdout, 'No run has been made here yet.');
    return 0;
  },
};

function listed(run: {
  readonly runId: string;
  readonly status: string;
  readonly task: string;
  readonly createdAt: string;
}): JsonValue {
  return { run_id: run.runId, state: run.status, task: run.task, created_at: run.createdAt };
}
