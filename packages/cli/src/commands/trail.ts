import { userDataDirectory } from '../config/effective-config.ts';
import { EXIT_CHECK_FAILED } from '../output/exit-status.ts';
import { writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';

/** Prints the records of a run. */
export const trailShowCommand: Command = {
  command: 'trail show',
  positionals: ['RUN'],
  summary: 'print the trail of a run, one line per record',
  example: 'millforge trail show run_01hv3k',
  options: {
    json: { value: null, help: 'JSON Lines instead of text' },
    data: { value: 'DIR', help: 'data directory' },
  },
  async run({ host, createMillforge }, args) {
    const dataDir = await userDataDirectory(args.text('data'), host);
    await using millforge = createMillforge({ dataDir, env: host.env });
    for await (const record of millforge.readTrail(args.positionals[0] ?? '')) {
      writeLine(
        host.stdout,
        args.has('json')
          ? JSON.stringify(record)
          : `${String(record.seq).padStart(5)}  ${record.at}  ${record.type.padEnd(20)}  ${line(record.data)}`,
      );
    }
    return 0;
  },
};

/** Recomputes the chain and every digest of one run, or of all. */
export const trailVerifyCommand: Command = {
  command: 'trail verify',
  positionals: ['RUN?'],
  summary: 'recompute the chain and every digest of a run, or of all',
  example: 'millforge trail verify run_01hv3k',
  options: {
    json: { value: null, help: 'the verdict as JSON' },
    data: { value: 'DIR', help: 'data directory' },
  },
  async run({ host, createMillforge }, args) {
    const dataDir = await userDataDirectory(args.text('data'), host);
    await using millforge = createMillforge({ dataDir, env: host.env });
    const verdict = await millforge.verifyTrail(args.positionals[0]);
    if (args.has('json')) {
      writeLine(host.stdout, JSON.stringify(verdict));
    } else if (verdict.ok) {
      writeLine(
        host.stdout,
        `The trail holds: ${verdict.records} records of ${verdict.goals} ${verdict.goals === 1 ? 'run' : 'runs'}.`,
      );
    } else {
      writeLine(
        host.stdout,
        `The trail does not hold: run ${verdict.goal}, record ${verdict.seq}: ${verdict.what}`,
      );
    }
    return verdict.ok ? 0 : EXIT_CHECK_FAILED;
  },
};

function line(data: unknown): string {
  const text = JSON.stringify(data);
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
