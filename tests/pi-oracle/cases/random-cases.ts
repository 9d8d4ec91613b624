import * as fc from 'fast-check';
import { casesOf } from '../harness/case-builder.ts';
import { files } from '../harness/fixture.ts';
import type { OracleCase } from '../harness/oracle-case.ts';

// The same cases in every run: what differs is then the code, not the draw.
const SEED = 796;
const STRICT = { isStrictOnly: true };

const wild = fc.constantFrom(
  0x0a,
  0x0a,
  0x0a,
  0x0d,
  0x61,
  0x62,
  0x20,
  0xff,
  0xc3,
  0xa9,
  0xe2,
  0x00,
);
const window = fc.record(
  { offset: fc.integer({ min: -2, max: 30 }), limit: fc.nat(30) },
  { requiredKeys: [] },
);
const reads = fc
  .tuple(fc.array(wild, { maxLength: 60 }), window)
  .map(([bytes, asked]) =>
    casesOf('read', 2, files({ f: Buffer.from(bytes) }))({ path: 'f', ...asked }, STRICT),
  );

const names = fc.uniqueArray(
  fc.string({
    unit: fc.constantFrom(...Array.from('aAbBzZéÉöß019_-. ')),
    minLength: 1,
    maxLength: 6,
  }),
  { maxLength: 20, selector: (name) => name.toLowerCase() },
);
const lists = names.map((all) => {
  const usable = all.filter((name) => name !== '.' && name !== '..');
  return casesOf('ls', 61, files(Object.fromEntries(usable.map((name) => [name, '']))))({}, STRICT);
});

const edits = fc
  .record({
    lines: fc.array(fc.constantFrom('keep', 'x', '\ttab', '', 'é🙂'), {
      minLength: 2,
      maxLength: 25,
    }),
    ending: fc.constantFrom('\n', '\r\n'),
    mark: fc.constantFrom('', '\uFEFF'),
    isEnded: fc.boolean(),
    chosen: fc.uniqueArray(fc.nat(24), { minLength: 1, maxLength: 4 }),
    newText: fc.constantFrom('', 'new', 'two\nlines', 'x\n', '\nx', '$&'),
  })
  .map(({ lines, ending, mark, isEnded, chosen, newText }) => {
    const all = lines.map((line, index) => `<${index}>${line}`);
    const content = mark + all.join(ending) + (isEnded ? ending : '');
    const wanted = new Set(chosen.map((index) => index % all.length));
    const input = {
      path: 'f',
      edits: [...wanted].map((index) => ({ oldText: all[index], newText })),
    };
    return casesOf('edit', 40, files({ f: content }))(input, STRICT);
  });

/** Cases that a generator has drawn. What the default profile mends depends on the draw. */
export const randomCases: readonly OracleCase[] = [
  ...fc.sample(reads, { numRuns: 80, seed: SEED }),
  ...fc.sample(lists, { numRuns: 20, seed: SEED }),
  ...fc.sample(edits, { numRuns: 60, seed: SEED }),
];
