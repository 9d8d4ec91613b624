import { type JsonValue, MillforgeError, readJson, toPlainJson } from '@millforge/contracts';

/**
 * Reads the lines of a JSONL artifact strictly: each one JSON value without a key twice, none empty,
 * the last one ended. Nothing is passed over.
 *
 * @throws `artifact/corrupt` naming the line, from 1.
 */
export function readJsonLines<T>(
  bytes: Uint8Array,
  /** Reads one value; what it throws is told with the line. */
  readValue: (value: JsonValue) => T,
): readonly T[] {
  const text = decode(bytes);
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.pop() !== '') throw corrupt(lines.length + 1, 'the last line is not ended');
  return lines.map((line, index) => {
    if (line === '') throw corrupt(index + 1, 'it is empty');
    const read = readJson(line, { allowControlCharacters: true });
    if (!read.ok) throw corrupt(index + 1, 'it is no JSON, or has a key twice');
    const value = toPlainJson(read.value);
    try {
      return readValue(value);
    } catch (error) {
      throw corrupt(index + 1, error instanceof Error ? error.message : 'it is of another form');
    }
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new MillforgeError('artifact/corrupt', 'The lines are no UTF-8.', { cause });
  }
}

function corrupt(line: number, fault: string): MillforgeError {
  return new MillforgeError('artifact/corrupt', `Line ${line} cannot be read: ${fault}.`, {
    details: { line },
  });
}
