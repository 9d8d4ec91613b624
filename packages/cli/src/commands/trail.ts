import type { TrailRecord } from '@millforge/contracts';
import { EXIT_CHECK_FAILED, exitStatusOf } from '../output/exit-status.ts';
import { type CliHost, writeJsonLine, writeLine } from '../output/terminal.ts';
import type { Command } from './command.ts';
import { DATA_OPTION, findData } from './data-place.ts';

/** Prints the records of a run. */
export const trailShowCommand: Command = {
  command: 'trail show',
  positionals: ['RUN'],
  summary: 'print the trail of a run, one line per record',
  example: 'millforge trail show run_01hv3k',
  options: {
    json: { value: null, help: 'JSON Lines instead of text' },
    ...DATA_OPTION,
  },
  async run({ host, createMillforge }, args) {
    const data = await findData(host, args);
    await using millforge = createMillforge({ dataDir: data.directory, env: host.env });
    for await (const record of millforge.readTrail(args.positionals[0] ?? '')) {
      showRecord(host, record, args.has('json'));
    }
    return 0;
  },
};

/** Prints the records of a run as they come, until it ends or Ctrl-C is pressed. */
export const trailFollowCommand: Command = {
  command: 'trail follow',
  positionals: ['RUN'],
  summary: 'print the trail of a run as it grows, until it ends',
  example: 'millforge trail follow run_01hv3k',
  options: {
    json: { value: null, help: 'JSON Lines instead of text' },
    ...DATA_OPTION,
  },
  async run({ host, createMillforge }, args) {
    const data = await findData(host, args);
    await using millforge = createMillforge({ dataDir: data.directory, env: host.env });
    const ending = new AbortController();
    const leave = host.onInterrupt(() => ending.abort());
    try {
      const options = { follow: true, signal: ending.signal };
      for await (const record of millforge.readTrail(args.positionals[0] ?? '', options)) {
        showRecord(host, record, args.has('json'));
      }
    } finally {
      leave();
    }
    return ending.signal.aborted ? exitStatusOf('interrupted') : 0;
  },
};

function showRecord(host: CliHost, record: TrailRecord, isJson: boolean): void {
  if (isJson) {
    writeJsonLine(host.stdout, record);
    return;
  }
  const { seq, at, type } = record;
  writeLine(
    host.stdout,
    `${String(seq).padStart(5)}  ${at}  ${type.padEnd(20)}  ${cut(JSON.stringify(record.data))}`,
  );
}

/** Recomputes the chain and every digest of one run, or of all. */
export const trailVerifyCommand: Command = {
  command: 'trail verify',
  positionals: ['RUN?'],
  summary: 'recompute the chain and every digest of a run, or of all',
  example: 'millforge trail verify run_01hv3k',
  options: {
    json: { value: null, help: 'the verdict as JSON' },
    ...DATA_OPTION,
  },
  async run({ host, createMillforge }, args) {
    const data = await findData(host, args);
    await using millforge = createMillforge({ dataDir: data.directory, env: host.env });
    const verdict = await millforge.verifyTrail(args.positionals[0]);
    if (args.has('json')) {
      writeJsonLine(host.stdout, {
        kind: 'trail_verdict',
        schema_version: '1.0',
        ok: verdict.ok,
        runs: verdict.ok ? verdict.goals : null,
        records: verdict.ok ? verdict.records : null,
        run_id: verdict.ok ? null : verdict.goal,
        seq: verdict.ok ? null : verdict.seq,
        what: verdict.ok ? null : verdict.what,
      });
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

function cut(text: string): string {
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
