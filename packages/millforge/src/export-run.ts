import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  canonicalJson,
  type Ids,
  type JsonObject,
  type JsonValue,
  type RunResult,
  type TrailRecord,
} from '@millforge/contracts';
import { openArtifactFolder } from '@millforge/kernel/artifacts';
import { millforgeError } from './millforge-error.ts';
import { runEvidence } from './run-evidence.ts';
import { EXPORTER } from './save-run-artifacts.ts';

/** What an export is made from. */
export interface RunExport {
  /** What the run came to. */
  readonly result: RunResult;
  /** Its trail, from the first record. */
  readonly records: AsyncIterable<TrailRecord>;
  /** The recorded outcome of an operation. */
  readonly readOutcome: (key: string) => Promise<JsonValue>;
  /** What the run was started with. */
  readonly inputs: JsonObject;
  /** Source of fresh names. */
  readonly ids: Ids;
}

/**
 * Writes what a finished run left behind for people and scripts: `events.jsonl`, `tool_trace.jsonl`
 * and, for a run that reached a terminal, `terminal_result.json`, with `run_evidence.json`, beside the
 * artifacts that its tools wrote and in the same manifest. The trail stays the authority; an earlier export is replaced.
 *
 * @throws `millforge/export-failed` when a file cannot be written; the run stays as it ended.
 */
export async function exportRun(directory: string, run: RunExport): Promise<void> {
  const events: string[] = [];
  const traces: string[] = [];
  let last: TrailRecord | null = null;
  for await (const record of run.records) {
    last = record;
    events.push(canonicalJson(toJson(record)));
    for (const trace of await tracesOf(record, run.readOutcome)) traces.push(canonicalJson(trace));
  }
  const { result } = run;
  try {
    const folder = openArtifactFolder({ directory, runId: result.run_id, ids: run.ids });
    const write = (id: string, mediaType: string, text: string): Promise<unknown> =>
      folder.write(id, Buffer.from(text), {
        mediaType,
        producer: EXPORTER,
        maxBytes: Number.POSITIVE_INFINITY,
      });
    await write('events', LINES, events.join(''));
    await write('tool_trace', LINES, traces.join(''));
    const evidence = runEvidence(run, { count: events.length, last });
    await write('run_evidence', 'application/json', canonicalJson(evidence));
    if (result.terminal_result === null) {
      await folder.remove('terminal_result');
      // Also one that is in no manifest: whoever looks for it must not take it for this run's.
      await rm(join(directory, 'terminal_result.json'), { force: true });
    } else await write('terminal_result', 'application/json', canonicalJson(toJson(result)));
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

const LINES = 'application/x-ndjson';

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
