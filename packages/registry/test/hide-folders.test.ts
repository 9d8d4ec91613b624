import { createRedactor } from '@millforge/contracts';
import { expect, test } from 'vitest';
import { executorWorld, refuse, runCall, toolOf } from './executor-world.ts';

const hostFolders = new Map([
  ['/home/ada', '~'],
  ['/home/ada/.local/state', '[data]'],
  ['/', 'root'],
]);

/** What a tool's text becomes on its way to the model. */
async function shown(text: string, redactSecrets = true): Promise<string> {
  const tool = toolOf({ redactSecrets, run: async () => ({ kind: 'done', text }) });
  return (await runCall(executorWorld([tool], { hostFolders }))).outcome.text;
}

test.each([
  ['/srv/site/src/a.ts:3', './src/a.ts:3'],
  ['in /srv/site.', 'in ..'],
  ['"/srv/site"', '"."'],
  ['/home/ada/notes, /home/ada', '~/notes, ~'],
  ['/home/ada/.local/state/trail.db', '[data]/trail.db'],
  ['file:///srv/site/a', 'file://./a'],
])('shows %s as %s', async (text, expected) => {
  expect(await shown(text)).toBe(expected);
});

test.each([
  '/srv/site2/a',
  '/srv/site-old',
  '/srv/site.bak/a',
  'a/srv/site',
  '/home/adam',
  '</div> // comment https://example.org/srv',
  '/usr/share/dict',
])('leaves %s alone (B-06)', async (text) => {
  expect(await shown(text)).toBe(text);
});

test('leaves the result of a tool alone that asks for no redaction, but not its record', async () => {
  expect(await shown('/srv/site/a.ts', false)).toBe('/srv/site/a.ts');
  const tool = toolOf({
    redactSecrets: false,
    run: async () => ({ kind: 'done', text: 'read /srv/site/a.ts' }),
  });
  expect((await runCall(executorWorld([tool]))).trace.summary).toBe('read ./a.ts');
});

test('names no folder of the host in structured results, whatever the keys are', async () => {
  const tool = toolOf({
    output: {
      type: 'object',
      properties: {
        files: { type: 'array', items: { type: 'string' } },
        count: { type: 'integer' },
      },
    },
    run: async () => ({ kind: 'done', data: { files: ['/srv/site/a', '/home/ada/b'], count: 2 } }),
  });
  const { outcome } = await runCall(executorWorld([tool], { hostFolders }));
  expect(outcome.data).toEqual({ files: ['./a', '~/b'], count: 2 });
});

test('shows a refusal of a tool as it was said only where the tool asks for no redaction', () => {
  const text = 'There is no /srv/site/a with hunter2-hunter2.';
  const refusing = (redactSecrets: boolean) =>
    toolOf({ redactSecrets, check: () => ({ kind: 'refused', code: 'not_found', message: text }) });
  expect(refuse(executorWorld([refusing(false)])).outcome.text).toBe(text);
  expect(refuse(executorWorld([refusing(true)])).outcome.text).toBe(
    'There is no ./a with **redacted**.',
  );
  expect(createRedactor().text(text)).toBe(text);
});
