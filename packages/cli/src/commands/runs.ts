import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { usageError } from '../cli-error.ts';
import { type CliHost, writeJsonLine, writeLine } from '../output/terminal.ts';
import type { RunSummary } from '../port/run-port.ts';
import type { Command } from './command.ts';
import { DATA_OPTION, findData } from './data-place.ts';
import { showResult } from './watch-run.ts';

/** Lists the runs of a data directory, or shows how one stands. */
export const runsCommand: Command = {
  command: 'runs',
  positionals: ['RUN?'],
  summary: 'list the runs; one run: its state, budget and holds',
  example: 'millforge runs run_01hv3k --json',
  options: {
    json: { value: null, help: 'JSON Lines instead of text' },
    ...DATA_OPTION,
  },
  async run({ host, createMillforge }, args) {
    const data = await findData(host, args);
    // The usual place is made by the first run; one that was typed, and is not there, was mistyped.
    if (args.text('data') !== null && !existsSync(data.directory)) {
      throw usageError(
        `There is no trail at ${join(data.directory, 'trail.db')}; name the data directory of the runs with --data.`,
      );
    }
    await using millforge = createMillforge({ dataDir: data.directory, env: host.env });
    const isJson = args.has('json');
    const [runId] = args.positionals;
    if (runId === undefined) {
      listRuns(host, await millforge.listRuns(), isJson);
      return 0;
    }
    const result = await millforge.readRun(runId);
    const kind = await millforge.goalKind(runId);
    showResult(host, { isJson, dataFlag: data.flag, kind }, result);
    if (!isJson && kind === 'run') {
      const { used, reserved, limit } = result.budget;
      writeLine(host.stdout, `  turns: ${used} used, ${reserved} reserved, ${limit} allowed`);
    }
    return 0;
  },
};

function listRuns(host: CliHost, runs: readonly RunSummary[], isJson: boolean): void {
  for (const { runId, status, task, createdAt } of runs) {
    if (isJson) {
      writeJsonLine(host.stdout, {
        kind: 'run_summary',
        schema_version: '1.0',
        run_id: runId,
        state: status,
        task,
        created_at: createdAt,
      });
    } else {
      writeLine(host.stdout, `${runId}  ${createdAt}  ${status.padEnd(10)}  ${task}`);
    }
  }
  if (runs.length === 0 && !isJson) writeLine(host.stdout, 'No run has been made here yet.');
}
