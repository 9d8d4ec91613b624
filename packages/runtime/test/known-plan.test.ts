import { expect, test } from 'vitest';
import { type Built, buildPlan } from './support/builder-plan.ts';
import { runScript } from './support/scripted-run.ts';

const END = { id: 'submit', terminal: 'COMPLETE' };
const SUBMIT = [['submit', { summary: 'Done.' }]] as const;

/** The same plan in bytes of its own. */
function copied(built: Built): Built {
  const { bytes, sha256 } = built.reference;
  return { ...built, reference: { bytes: bytes.slice(), sha256 } };
}

test('bytes that change after a run are read and refused', async () => {
  const built = buildPlan([{ id: 'read' }, END]);
  const { bytes } = built.reference;
  expect((await runScript(built, [SUBMIT])).outcome.status).toBe('success');
  const at = new TextDecoder().decode(bytes).indexOf('"read"') + 1;
  bytes[at] = (bytes[at] ?? 0) + 1;
  expect((await runScript(built, [SUBMIT])).outcome).toMatchObject({
    status: 'failed',
    failure_class: 'plan_invalid',
  });
  bytes[at] = (bytes[at] ?? 0) - 1;
  expect((await runScript(built, [SUBMIT])).outcome.status).toBe('success');
});

test('bytes that were run are refused under the digest of another plan', async () => {
  const built = buildPlan([{ id: 'read' }, END]);
  expect((await runScript(built, [SUBMIT])).outcome.status).toBe('success');
  const { bytes } = built.reference;
  const other = { ...built, reference: { bytes, sha256: 'f'.repeat(64) } };
  expect((await runScript(other, [SUBMIT])).outcome.failure_class).toBe('plan_invalid');
});

test('a plan that was run before is run like one that is read for the first time', async () => {
  const built = buildPlan([{ id: 'read', required: true }, END]);
  const script = [SUBMIT, [['read', { path: 'a' }]], SUBMIT] as const;
  const first = await runScript(built, script);
  const again = await runScript(built, script);
  const anew = await runScript(copied(built), script);
  for (const later of [again, anew]) {
    expect(later.outcome).toEqual(first.outcome);
    expect(later.events).toEqual(first.events);
    expect(later.model.requests).toEqual(first.model.requests);
  }
});

test('a model client cannot change the tools that other runs of the plan are offered', async () => {
  const built = buildPlan([{ id: 'read' }, END]);
  const { model } = await runScript(built, [SUBMIT]);
  const [tool] = model.requests[0]?.tools ?? [];
  expect(() => Object.assign(tool ?? {}, { name: 'other' })).toThrow(TypeError);
  expect(Object.isFrozen(model.requests[0]?.tools)).toBe(true);
});
