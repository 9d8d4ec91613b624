import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolWorld } from './tool-world.ts';

// A file is lines that no other line holds, each with its own ending; edits replace whole lines, parts
// of lines, and stretches of lines.
const ending = fc.constantFrom('\n', '\r\n', '\n', '\r\n', '\r');
const filler = fc.constantFrom('keep  ', '“q” — x', '\ttab', '', 'ﬁn\u00A0', 'plain', '🙂', 'é');
const replacement = fc.constantFrom('', 'new', 'two\nlines', 'ends\n', '\nbegins', '“x”', '$&');
const LONG = `${`${'long '.repeat(30_000)}\n`.repeat(8)}${'short\n'.repeat(5)}`;
const RUNS = Number(process.env['MILLFORGE_EDIT_RUNS'] ?? 60);
const sample = fc.record({
  // Past a megabyte the texts are not compared, and the patch comes from the places alone.
  isLong: fc.constantFrom(false, false, true),
  mark: fc.constantFrom('', '', '\uFEFF'),
  lines: fc.array(fc.tuple(filler, ending), { minLength: 1, maxLength: 30 }),
  isEnded: fc.boolean(),
  spans: fc.uniqueArray(fc.tuple(fc.nat(29), fc.nat(2), replacement), {
    minLength: 1,
    maxLength: 6,
    selector: ([line]) => line,
  }),
  seed: fc.nat(),
});

interface Planned {
  readonly before: string;
  readonly edits: readonly { readonly oldText: string; readonly newText: string }[];
  /** What stays, in order, as it has to stand in the result. */
  readonly outside: readonly string[];
}

test('changes no byte outside of the places, whatever the order, and git applies its patch', {
  tags: ['slow'],
  timeout: 20_000 + RUNS * 500,
}, async () => {
  const world = await toolWorld();
  const patches: string[] = [];
  const results: Buffer[] = [];
  await mkdir(world.path('original'));
  const each = fc.asyncProperty(sample, async (drawn) => {
    const { before, edits, outside } = plan(drawn);
    const name = `f${patches.length}`;
    const outcomes: Buffer[] = [];
    for (const [turn, order] of [edits, edits.toReversed()].entries()) {
      await writeFile(world.path(name), before);
      const result = await world.call('edit', { path: name, edits: [...order] });
      if (result.kind !== 'done') {
        expect(result.text).toContain('identical content');
        return;
      }
      outcomes.push(await readFile(world.path(name)));
      if (turn > 0) continue;
      await writeFile(world.path(`original/${name}`), before);
      patches.push(String(Object(result.data).patch));
    }
    expect(outcomes[0]?.equals(outcomes[1] ?? Buffer.of())).toBe(true);
    results.push(outcomes[0] ?? Buffer.of());
    expectInOrder(outcomes[0]?.toString() ?? '', outside);
  });
  await fc.assert(each, { numRuns: RUNS });
  expect(results.length).toBeGreaterThan((RUNS * 2) / 3);
  const patch = patches.filter((one) => one.includes('@@')).join('');
  const folder = world.path('original');
  execFileSync('git', ['apply', '-p0', '--whitespace=nowarn'], { cwd: folder, input: patch });
  for (const [index, result] of results.entries()) {
    const patched = await readFile(world.path(`original/f${index}`));
    expect(patched.equals(result), `f${index}`).toBe(true);
  }
});

function plan(drawn: typeof sample extends fc.Arbitrary<infer T> ? T : never): Planned {
  const lines = drawn.lines.map(([text, end], index) => {
    const isLast = index === drawn.lines.length - 1;
    return { text: `<${index}>${text}`, end: isLast && !drawn.isEnded ? '' : end };
  });
  const edits: { oldText: string; newText: string }[] = [];
  const outside: string[] = [drawn.mark];
  const spans = new Map(drawn.spans.map(([line, more, text]) => [line, { more, text }]));
  for (let at = 0; at < lines.length; at++) {
    const span = spans.get(at);
    const line = lines[at];
    if (line === undefined) break;
    if (span === undefined) {
      outside.push(line.text + line.end);
      continue;
    }
    const covered = lines.slice(at, at + 1 + span.more);
    const last = covered[covered.length - 1] ?? line;
    const whole = covered.map(({ text, end }) => text + end).join('');
    const oldText = whole.slice(0, whole.length - last.end.length);
    edits.push({ oldText, newText: span.text });
    outside.push(last.end);
    at += covered.length - 1;
  }
  if (edits.length === 0) {
    const [first] = lines;
    edits.push({ oldText: first?.text ?? '', newText: '<first>' });
    outside.splice(1, 1, first?.end ?? '');
  }
  const head = drawn.isLong ? LONG : '';
  const before = drawn.mark + head + lines.map(({ text, end }) => text + end).join('');
  return { before, edits, outside };
}

function expectInOrder(text: string, pieces: readonly string[]): void {
  let at = 0;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    expect(
      found,
      JSON.stringify({ piece, rest: text.slice(at, at + 2000) }),
    ).toBeGreaterThanOrEqual(0);
    at = found + piece.length;
  }
}
