import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtinTools } from '@millforge/builtin-tools';
import type { JsonSchema, Tool } from '@millforge/contracts';
import {
  type Arbitrary,
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  option,
  record,
  sample,
  tuple,
} from 'fast-check';
import { expect, test } from 'vitest';
import { runWorld } from './run-world.ts';

const CALLS = Number(process.env['MILLFORGE_LEAK_CALLS'] ?? 1500);
const WRITES = /^(?:write|apply)_/;
const SECRET = 'planted-secret-4711';

/** Values that a confused or hostile model could send for any argument. */
const text = constantFrom(
  '.',
  'a.txt',
  'secret.txt',
  'deep/er/b.txt',
  '../outside.txt',
  'FOLDER/outside.txt',
  'FOLDER/workspace/a.txt',
  '/etc/passwd',
  '.git/config',
  'link',
  'deep/out/x',
  'plan',
  'unit',
  'all',
  'COMPLETE',
  SECRET,
  '0'.repeat(64),
  '*.txt',
  '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n',
  `--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+${SECRET}\n`,
  '--- /dev/null\n+++ b/FOLDER/x\n@@ -0,0 +1 @@\n+x\n',
  '\0',
  '\ud800',
  'CON',
);
test('whatever is called with whatever arguments, no secret and no folder of the host comes out', {
  tags: ['slow'],
  timeout: 20_000 + CALLS * 20,
}, async () => {
  const world = await runWorld({
    secrets: [SECRET],
    terminals: { submit_terminal_intent: 'COMPLETE' },
    testProfiles: { unit: { argv: ['sh', '-c', `pwd; echo ${SECRET}; cat no-such-file`] } },
  });
  await writeFile(join(world.folder, 'outside.txt'), 'outside-4711');
  await world.write('a.txt', 'one\n');
  await world.write('secret.txt', `key is ${SECRET}\nfolder is ${world.workspace}\n`);
  await world.write('deep/er/b.txt', `${SECRET}\n`);
  await symlink('../outside.txt', world.path('link'));
  await symlink('../..', world.path('deep/out'));
  await world.begin();
  const calls = sample(
    constantFrom(...builtinTools()).chain((tool) =>
      tuple(constant(tool.descriptor.model_tool_name), argumentsOf(tool), nat()),
    ),
    { numRuns: CALLS, seed: 11 },
  );
  const ends = new Map<string, number>();
  for (const [tool, given, number] of calls) {
    // A few processes show as much as hundreds.
    if (tool.startsWith('run_') && number % 20 !== 0) continue;
    // What is written comes back when it is read: the folder would be the model's own text then.
    const folder = WRITES.test(tool) ? '/elsewhere' : world.folder;
    const input: unknown = JSON.parse(JSON.stringify(given).replaceAll('FOLDER', folder));
    const { outcome, trace } = await world.execute(tool, input);
    ends.set(outcome.status, (ends.get(outcome.status) ?? 0) + 1);
    const said = JSON.stringify([outcome, trace]);
    expect(said).not.toContain(SECRET);
    expect(said).not.toContain('outside-4711');
    // What the model itself has sent may stand in the refusal of it.
    if (!JSON.stringify(input).includes(world.folder)) expect(said).not.toContain(world.folder);
  }
  expect(ends.get('success')).toBeGreaterThan(CALLS / 20);
  expect(ends.get('not_executed')).toBeGreaterThan(CALLS / 20);
});

/** Arguments by the schema of a tool, and now and then some that do not fit. */
function argumentsOf({ descriptor }: Tool): Arbitrary<object> {
  const { input_schema: schema } = descriptor;
  if (!('properties' in schema)) throw new Error('no object');
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const value = 'items' in field ? array(text, { maxLength: 2 }) : valueOf(field);
    return [name, schema.required.includes(name) ? value : option(value, { nil: undefined })];
  });
  return oneof(
    {
      weight: 20,
      arbitrary: record(Object.fromEntries(fields), { noNullPrototype: true }),
    },
    { weight: 1, arbitrary: record({ path: text, more: text }) },
  );
}

function valueOf(field: JsonSchema): Arbitrary<unknown> {
  const type = 'type' in field ? field.type : null;
  if (type === 'integer') return integer({ min: -1, max: 200 });
  return type === 'boolean' ? boolean() : text;
}
