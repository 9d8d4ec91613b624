import { expect, test } from 'vitest';
import { accepted, refused } from '../support/parse.ts';

test('keep blank lines, # lines and text behind # (P-01)', () => {
  const yaml = 'a: |\n  # Heading\n\n  text  # not a comment\n\n\n  end\n\n\nb: 1\n';
  expect(accepted('yaml', yaml).value).toEqual({
    a: '# Heading\n\ntext  # not a comment\n\n\nend\n',
    b: 1,
  });
});

test('keep characters that mean something elsewhere in YAML (P-03)', () => {
  const text = '*emphasis* a & b\n&x *y !z !important\n*.py\n- key: [x\n"quote\n--- \n|\n? %\n';
  const yaml = `a:\n  b: |\n${text.replaceAll(/^/gmu, '    ').trimEnd()}\n`;
  expect(accepted('yaml', yaml).value).toEqual({ a: { b: text } });
});

test('keep tabs and deeper indentation (P-04)', () => {
  expect(accepted('yaml', 'a: |\n  x\n   y\n  \tz\tw\n').value).toEqual({ a: 'x\n y\n\tz\tw\n' });
});

test('may begin behind a key in a list item (P-06)', () => {
  expect(
    accepted('yaml', 'x:\n  - k: |\n      one\n      two\n    m: 1\n  - |\n    three\n').value,
  ).toEqual({
    x: [{ k: 'one\ntwo\n', m: 1 }, 'three\n'],
  });
});

test('accept any consistent indentation and keep blank lines at their head', () => {
  expect(accepted('yaml', 'a: |\n     x\n     y\n').value).toEqual({ a: 'x\ny\n' });
  expect(accepted('yaml', 'a: |\n\n  x\n').value).toEqual({ a: '\nx\n' });
  expect(accepted('yaml', 'a: | # comment\n  x\n').value).toEqual({ a: 'x\n' });
});

test('end with exactly one line end', () => {
  for (const tail of ['', '\n', '\n\n', '\n\n\n  \n']) {
    expect(accepted('yaml', `a: |\n  x${tail}`).value).toEqual({ a: 'x\n' });
  }
});

test('are written with | alone', () => {
  for (const header of ['|-', '|+', '|2', '>', '>-', '|x']) {
    expect(refused('yaml', `k:\n  a: ${header}\n    x\n`)).toBe('MF-S011 2:3');
  }
});

test('hold indented content', () => {
  expect(refused('yaml', 'k: 1\na: |\nb: 1\n')).toBe('MF-S011 2:1');
  expect(refused('yaml', 'a: |\n\n\n')).toBe('MF-S011 1:1');
  expect(refused('yaml', 'a: |')).toBe('MF-S011 1:1');
  expect(refused('yaml', 'a: |\n    x\n  y\n')).toBe('MF-S011 3:3');
  expect(refused('yaml', 'a: |\n\tx\n')).toBe('MF-S011 2:1');
});

test('hold 65,536 bytes and not one more', () => {
  const line = 'x'.repeat(63);
  const yaml = (extra: string) => `a: |\n${`  ${line}\n`.repeat(1023)}  ${line}${extra}\n`;
  expect(accepted('yaml', yaml('')).value).toEqual({ a: `${line}\n`.repeat(1024) });
  expect(refused('yaml', yaml('x'))).toBe('MF-S010 1:4');
  expect(refused('yaml', `a: |\n${`  ${line}\n`.repeat(15_000)}`)).toMatch(/^MF-S010 /);
});
