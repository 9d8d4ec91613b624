import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  type RunResult,
  type TrailRecord,
} from '@millforge/contracts';
import { millforgeError } from './millforge-error.ts';

/** What an export is made from. */
export interface RunExport {
  /** What the run came to. */
  readonly result: RunResult;
  /** Its trail, from the first record. */
  readonly records: AsyncIterable<TrailRecord>;
  /** The recorded outcome of an operation. */
  readonly readOutcome: (key: string) => Promise<JsonValue>;
}

/**
 * Writes what a finished run left behind for people and scripts: `events.jsonl`, `tool_trace.jsonl`
 * and, for a run that reached a terminal, `terminal_result.json`. The trail stays the authority; an
 * earlier export of the same run is replaced.
 *
 * @throws `millforge/export-failed` when a file cannot be written; the run stays as it ended.
 */
export async function exportRun(directory: string, run: RunExport): Promise<void> {
  const events: string[] = [];
  const traces: string[] = [];
  for await (const record of run.records) {
    events.push(canonicalJson(toJson(record)));
    for (const trace of await tracesOf(record, run.readOutcome)) traces.push(canonicalJson(trace));
  }
  const { result } = run;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeWhole(join(directory, 'events.jsonl'), events.join(''));
    await writeWhole(join(directory, 'tool_trace.jsonl'), traces.join(''));
    const terminal = join(directory, 'terminal_result.json');
    if (result.terminal_result === null) await rm(terminal, { force: true });
    else await writeWhole(terminal, canonicalJson(toJson(result)));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw millforgeError(
      'millforge/export-failed',
      `Run ${result.run_id} has ended (${result.status}) and is safe in the trail, but its export to ${directory} failed (${code}); resume it to export it again.`,
      { cause },
    );
  }
}

// Traces of calls that ran travel in the recorded outcome of their operation; those of refused calls
// are entries of their own.
async function tracesOf(
  record: TrailRecord,
  readOutcome: RunExport['readOutcome'],
): Promise<readonly JsonValue[]> {
  const traces: JsonValue[] = [];
  const noted = field(field(record.data, 'data'), 'trace');
  if (noted !== null) traces.push(noted);
  const operations = field(record.data, 'operations');
  for (const operation of Array.isArray(operations) ? operations : []) {
    const key = field(operation, 'key');
    if (field(operation, 'state') !== 'recorded' || typeof key !== 'string') continue;
    if (!key.startsWith('tool/')) continue;
    const outcome = await readOutcome(key);
    // A call that was refused at the last moment carries its trace in the reason.
    const trace = field(outcome, 'trace') ?? field(field(outcome, 'data'), 'trace');
    if (trace !== null) traces.push(trace);
  }
  return traces;
}

function field(value: JsonValue, name: string): JsonValue {
  return isObject(value) ? (value[name] ?? null) : null;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Writes a file in one step, unless it is as it should be. */
export async function writeWhole(path: string, text: string): Promise<void> {
  // Whoever resumes an ended run finds its files as they are.
  if ((await readFile(path, 'utf8').catch(() => null)) === text) return;
  // Two resumes of an ended run may export it at the same time.
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
