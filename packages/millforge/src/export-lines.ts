import { MillforgeError, readJson, toPlainJson } from '@millforge/contracts';

/**
 * Looks at the first line of an exported trail before anything is opened for it, and gives all of its lines.
 *
 * @throws `kernel/export-invalid` where that line is none of an export.
 */
export async function exportLines(lines: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const reading = lines[Symbol.asyncIterator]();
  const first = await reading.next();
  if (first.done === true || !isHeader(first.value)) {
    await reading.return?.();
    throw new MillforgeError(
      'kernel/export-invalid',
      'The export does not hold at line 1: this is no trail_export 1.0; nothing was imported.',
      { details: { line: 1, what: 'this is no trail_export 1.0' } },
    );
  }
  return withFirst(first.value, reading);
}

async function* withFirst(
  first: string,
  reading: AsyncIterator<string>,
): AsyncGenerator<string, void> {
  try {
    yield first;
    for (;;) {
      const next = await reading.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await reading.return?.();
  }
}

function isHeader(line: unknown): boolean {
  // A line without an end would be read as a whole: the header is short.
  if (typeof line !== 'string' || line.length > MAX_HEADER_LENGTH) return false;
  const read = readJson(line);
  if (!read.ok) return false;
  const header: unknown = toPlainJson(read.value);
  if (typeof header !== 'object' || header === null) return false;
  return 'kind' in header && header.kind === 'trail_export';
}

const MAX_HEADER_LENGTH = 65_536;
