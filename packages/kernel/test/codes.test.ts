import { readdirSync, readFileSync } from 'node:fs';
import { MillforgeError } from '@millforge/contracts';
import type { GoalContract } from '@millforge/kernel';
import { expect, test } from 'vitest';
import { open, scope, temporaryDirectory } from './fixture.ts';

const PAGES = new URL('../../../docs/codes/', import.meta.url);
const declared = readFileSync(new URL('../src/diagnostics.ts', import.meta.url), 'utf8');
const codes = [...declared.matchAll(/code: '(MF-K\d+)',\s*name: '([a-z-]+)'/g)].map(
  ([, code = '', name = '']) => [code, name] as const,
);
const goal: object = JSON.parse(readFileSync(new URL('goal.json', PAGES), 'utf8'));

test('has a page for every code, and no page for another', () => {
  expect(codes.length).toBeGreaterThan(0);
  expect(readdirSync(new URL('K/', PAGES)).toSorted()).toEqual(
    codes.map(([code]) => `${code}.md`).toSorted(),
  );
});

test.each(codes)(
  'the page of %s (%s) shows a contract that causes it, and one that is admitted',
  async (code, name) => {
    const page = readFileSync(new URL(`K/${code}.md`, PAGES), 'utf8');
    const message = /\n> (.+)\n/.exec(page)?.[1];
    expect(page.startsWith(`# ${code} · ${name}\n`)).toBe(true);
    expect(await findings(partOf(page, 'wrong'))).toContainEqual(
      expect.objectContaining({ code, message }),
    );
    expect(await findings(partOf(page, 'right'))).toEqual([]);
  },
);

function partOf(page: string, side: 'wrong' | 'right'): object {
  const block = new RegExp(`\`\`\`json ${side} goal\\n([^\`]+)\`\`\``).exec(page)?.[1];
  return JSON.parse(block ?? 'null');
}

/** What the kernel finds in the common contract with a part of it replaced. */
async function findings(part: object): Promise<unknown> {
  const kernel = await open(temporaryDirectory());
  try {
    // A page may show anything, as a program may hand over anything.
    await kernel.admitGoal(scope, { ...goal, ...part } as GoalContract);
    return [];
  } catch (error) {
    if (!MillforgeError.is(error, 'kernel/contract-invalid')) throw error;
    const details: unknown = error.details;
    return typeof details === 'object' && details !== null && 'diagnostics' in details
      ? details.diagnostics
      : null;
  }
}
