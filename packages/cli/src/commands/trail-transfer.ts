import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { MillforgeError } from '@millforge/contracts';
import { documentError, systemCode, usageError } from '../cli-error.ts';
import { unreadable } from '../documents/read-input-file.ts';
import { writeJsonLine, writeLine } from '../output/terminal.ts';
import { isSameFile, writeWhole } from '../output/write-whole.ts';
import type { Command } from './command.ts';
import { DATA_OPTION, findData } from './data-place.ts';

/** Writes the trail of a run as JSON Lines that anybody can verify. */
export const trailExportCommand: Command = {
  command: 'trail export',
  positionals: ['RUN'],
  summary: 'write the trail of a run as JSON Lines that can be verified elsewhere',
  example: 'millforge trail export run_01hv3k --out run.trail.jsonl',
  options: {
    out: { value: 'FILE', help: 'write there instead of to standard output' },
    ...DATA_OPTION,
  },
  async run({ host, createMillforge }, args) {
    const data = await findData(host, args);
    const file = args.text('out');
    await using millforge = createMillforge({ dataDir: data.directory, env: host.env });
    const lines = millforge.exportTrail(args.positionals[0] ?? '');
    if (file === null) for await (const line of lines) host.stdout.write(line);
    else {
      const path = resolve(host.cwd, file);
      if (await isSameFile(path, join(data.directory, 'trail.db'))) {
        throw usageError(`${path} is the trail itself; name another file with --out.`);
      }
      await writeWhole(path, lines);
    }
    return 0;
  },
};

/** Verifies an exported trail and keeps it, to be read and never run. */
export const trailImportCommand: Command = {
  command: 'trail import',
  positionals: ['FILE'],
  summary: 'verify an exported trail and keep it, to be shown and never run',
  example: 'millforge trail import run.trail.jsonl',
  options: {
    json: { value: null, help: 'the name of the run as JSON' },
    ...DATA_OPTION,
  },
  async run({ host, createMillforge }, args) {
    const data = await findData(host, args);
    await using millforge = createMillforge({ dataDir: data.directory, env: host.env });
    const path = resolve(host.cwd, args.positionals[0] ?? '');
    try {
      // Before a trail is made for it. Only looked at: what is no plain file can be opened once.
      await stat(path);
      const runId = await millforge.importTrail(linesOf(path));
      if (args.has('json')) {
        writeJsonLine(host.stdout, {
          kind: 'trail_import',
          schema_version: '1.0',
          run_id: runId,
        });
      } else writeLine(host.stdout, `The trail holds and is kept as ${runId}.`);
      return 0;
    } catch (cause) {
      if (MillforgeError.is(cause, 'kernel/export-invalid')) throw documentError(cause.message);
      if (systemCode(cause) === null || MillforgeError.is(cause)) throw cause;
      throw unreadable({ path, what: 'export' }, cause);
    }
  },
};

async function* linesOf(path: string): AsyncIterable<string> {
  const stream = createReadStream(path, { encoding: 'utf8' });
  // A file that cannot be opened fails here, not as an event that nobody hears.
  await new Promise<void>((opened, failed) => {
    stream.once('open', () => opened());
    stream.once('error', failed);
  });
  yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
}
