import { readdirSync, readFileSync } from 'node:fs';
import { VERSION } from 'millforge';
import { expect, test } from 'vitest';

const PACKAGES = new URL('../../', import.meta.url);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

test('the version is that of every package', () => {
  const versions = readdirSync(PACKAGES).map((folder) => manifestOf(folder).version);
  expect(new Set(versions)).toEqual(new Set([VERSION]));
});

const entries = Object.keys(manifestOf('millforge').exports).filter((entry) => entry !== '.');

test.each(entries)(
  'millforge/%s gives exactly what the package of that name gives',
  async (entry) => {
    const [umbrella, name] = [`millforge/${entry.slice(2)}`, `@millforge/${entry.slice(2)}`];
    const own: object = await import(umbrella);
    const direct: object = await import(name);
    expect(Object.keys(own)).toEqual(Object.keys(direct));
    for (const [key, value] of Object.entries(direct)) expect(Reflect.get(own, key)).toBe(value);
  },
);

test('every package that a program may import has an entry', () => {
  const packages = readdirSync(PACKAGES).filter((name) => !['millforge', 'cli'].includes(name));
  expect(packages.filter((name) => !entries.includes(`./${name}`))).toEqual([]);
});

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(new URL(`${folder}/package.json`, PACKAGES), 'utf8'));
}
