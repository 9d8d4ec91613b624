import { writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anchoredWorld } from './anchored-world.ts';

interface Line {
  readonly text: string;
  readonly ending: string;
}

type Change =
  | { readonly op: 'replace'; readonly at: number; readonly to: number; readonly text: string }
  | { readonly op: 'delete'; readonly at: number; readonly to: number }
  | { readonly op: 'insert_before'; readonly at: number; readonly text: string }
  | { readonly op: 'insert_after'; readonly at: number; readonly text: string };

const file = fc.record({
  lines: fc.array(
    fc.record({
      text: fc.oneof(
        fc.constantFrom('', '}', '  x', 'é — “q”', 'tab\t ', 'a\rb'),
        fc.string({ maxLength: 8 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
      ),
      ending: fc.constantFrom('\n', '\n', '\r\n'),
    }),
    { minLength: 1, maxLength: 14 },
  ),
  isEnded: fc.boolean(),
  mark: fc.constantFrom('', '\uFEFF'),
});

// Each line belongs to one change at most: a walk over the lines decides what happens to it.
const steps = fc.array(
  fc.record({
    op: fc.constantFrom('keep', 'keep', 'replace', 'delete', 'insert_before', 'insert_after'),
    length: fc.integer({ min: 1, max: 3 }),
    text: fc
      .array(fc.constantFrom('new', '}', '', 'zwei ü'), { minLength: 1, maxLength: 3 })
      .map((lines) => lines.join('\n'))
      .filter((text) => text !== ''),
  }),
  { minLength: 1, maxLength: 14 },
);

const runs = Number(process.env['MILLFORGE_PROPERTY_RUNS'] ?? 150);

test('changes no byte outside of the lines, whatever the order of the changes', {
  tags: ['slow'],
}, async () => {
  const world = await anchoredWorld('');
  await fc.assert(
    fc.asyncProperty(file, steps, fc.nat(), async ({ lines, isEnded, mark }, walk, turn) => {
      const written = linesOf(lines, isEnded);
      const changes = changesOf(written.length, walk);
      if (changes.length === 0) return;
      const original = mark + textOf(written);
      const wanted = mark + textOf(apply(written, changes));
      for (const order of [changes, changes.toReversed(), rotated(changes, turn)]) {
        await writeFile(world.path, original);
        const result = await world.edit(
          order.map((change) => ({ ...change, text: newText(change) })),
        );
        if (wanted === original) expect(result.kind).toBe('failed');
        else expect(result).toMatchObject({ kind: 'done' });
        expect(await world.content()).toBe(wanted);
      }
    }),
    { numRuns: runs, seed: 11 },
  );
});

test('refuses every anchor of a line that has changed, and tells an anchor that works', {
  tags: ['slow'],
}, async () => {
  const world = await anchoredWorld('');
  await fc.assert(
    fc.asyncProperty(file, file, fc.nat(), async (before, after, pick) => {
      await writeFile(world.path, textOf(linesOf(before.lines, before.isEnded)));
      const anchors = await world.anchors();
      const written = textOf(linesOf(after.lines, after.isEnded));
      await writeFile(world.path, written);
      const current = await world.anchors();
      const at = anchors[pick % anchors.length] ?? '';
      const result = await world.send([{ op: 'replace', at, text: 'a line that nothing says' }]);
      expect(result.kind === 'done').toBe(current.includes(at));
      if (result.kind === 'done') return;
      expect(await world.content()).toBe(written);
      const told = (result.text ?? '').match(/\d+#[0-9a-f]{4}(?=│)/g) ?? [];
      for (const anchor of told) expect(current).toContain(anchor);
      expect(told.length > 0 || /the file has \d+ lines/.test(result.text ?? '')).toBe(true);
    }),
    { numRuns: runs, seed: 12 },
  );
});

/** The last line has its ending or none; without one it has to say something, or it would be no line. */
function linesOf(lines: readonly Line[], isEnded: boolean): readonly Line[] {
  const last = lines.at(-1);
  if (isEnded || last === undefined) return lines;
  return [...lines.slice(0, -1), { text: last.text === '' ? 'end' : last.text, ending: '' }];
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text, ending }) => text + ending).join('');
}

function changesOf(
  count: number,
  walk: readonly { readonly op: string; readonly length: number; readonly text: string }[],
): readonly Change[] {
  const changes: Change[] = [];
  let at = 1;
  for (const { op, length, text } of walk) {
    if (at > count) break;
    const to = Math.min(count, at + length - 1);
    if (op === 'replace') changes.push({ op, at, to, text });
    if (op === 'delete') changes.push({ op, at, to });
    if (op === 'insert_before' || op === 'insert_after') changes.push({ op, at, text });
    // A line apart, so that no two insertions meet.
    at = to + 2;
  }
  return changes;
}

/** The same by lines: slow, and plain to see. */
function apply(lines: readonly Line[], changes: readonly Change[]): readonly Line[] {
  const endings = lines.map(({ ending }) => ending);
  const endingAt = (line: number) =>
    [line, line - 1, 1].map((one) => endings[one - 1] ?? '').find((ending) => ending !== '') ??
    '\n';
  return lines.flatMap((line, index): readonly Line[] => {
    const at = index + 1;
    const change = changes.find((one) =>
      'to' in one ? one.at <= at && at <= one.to : one.at === at,
    );
    if (change === undefined) return [line];
    if (change.op === 'delete') return [];
    const ending = endingAt(change.at);
    const added = change.text
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ text, ending }));
    if (change.op === 'insert_before') return [...added, line];
    if (change.op === 'insert_after') {
      return line.ending === ''
        ? [{ ...line, ending }, ...endingWith(added, '')]
        : [line, ...added];
    }
    return change.at === at ? endingWith(added, endings[change.to - 1] ?? '') : [];
  });
}

function endingWith(lines: readonly Line[], ending: string): readonly Line[] {
  return lines.map((line, place) => (place === lines.length - 1 ? { ...line, ending } : line));
}

function newText(change: Change): string {
  return 'text' in change ? change.text : '';
}

function rotated<T>(items: readonly T[], turn: number): readonly T[] {
  const from = turn % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}
