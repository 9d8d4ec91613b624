import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  canonicalJson,
  type JsonValue,
  type RunResult,
  type TrailRecord,
} from '@millforge/contracts';

/**
 * Writes what a finished run left behind for people and scripts: `events.jsonl`, `tool_trace.jsonl`
 * and, for a run that reached a terminal, `terminal_result.json`. The trail stays the authority; an
 * earlier export of the same run is replaced.
 */
export async function exportRun(
  directory: string,
  result: RunResult,
  records: AsyncIterable<TrailRecord>,
): Promise<void> {
  const events: string[] = [];
  const traces: string[] = [];
  for await (const record of records) {
    events.push(canonicalJson(toJson(record)));
    const trace = traceOf(record);
    if (trace !== null) traces.push(canonicalJson(trace));
  }
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeWhole(join(directory, 'events.jsonl'), events.join(''));
  await writeWhole(join(directory, 'tool_trace.jsonl'), traces.join(''));
  const terminal = join(directory, 'terminal_result.json');
  if (result.terminal_result === null) {
    await rm(terminal, { force: true });
  } else {
    await writeWhole(terminal, canonicalJson(toJson(result)));
  }
}

// Traces of calls that ran travel in the recorded outcome, those of refused calls in an entry of
// their own.
function traceOf(record: TrailRecord): JsonValue | null {
  const { data } = record;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  const trace = 'trace' in data ? data['trace'] : undefined;
  return trace === undefined ? null : trace;
}

async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
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
