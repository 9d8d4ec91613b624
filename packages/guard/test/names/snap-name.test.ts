import { defaultPolicy, type GuardPolicy, initialGuardState, inspectReply } from '@millforge/guard';
import { expect, test } from 'vitest';

function snapped(
  written: string,
  names: readonly string[],
  snap?: GuardPolicy['snap'],
): string | null {
  const reply = {
    content: null,
    reasoning: null,
    tool_calls: [{ id: 'a', name: written, arguments: '{}' }],
    finish_reason: 'stop' as const,
    usage: null,
    provider_model: null,
  };
  const tools = names.map((name) => ({ name, description: '', parameters: null }));
  const policy = { ...defaultPolicy, ...(snap === undefined ? {} : { snap }) };
  const { decision } = inspectReply(reply, { tools, policy, state: initialGuardState });
  const [call] = decision.kind === 'calls' ? decision.calls : [];
  return call?.kind === 'accepted' ? call.name : null;
}

test.each([
  ['readNote', 'read_note'],
  ['read-note', 'read_note'],
  ['READ_NOTE', 'read_note'],
  ['Read', 'read'],
  ['functions.read_note', 'read_note'],
  ['mcp__notes__read_note', 'read_note'],
  ['notes/read_note', 'read_note'],
  ['default_api:read_note', 'read_note'],
  ['read_notes', 'read_note'],
  ['search_databse', 'search_database'],
  ['serach_database', 'search_database'],
])('%s stands for %s', (written, name) => {
  expect(snapped(written, ['read', 'read_note', 'search_database'])).toBe(name);
});

test('a name without its prefix stands for the only tool that has one', () => {
  expect(snapped('read_note', ['mcp__notes__read_note', 'write'])).toBe('mcp__notes__read_note');
  expect(snapped('read_note', ['a__read_note', 'b__read_note'])).toBeNull();
});

test.each([
  ['set_user', 'get_user'],
  ['unload_file', 'upload_file'],
  ['decrease', 'increase'],
  ['unlock_door', 'lock_door'],
  ['head', 'read'],
  ['step_1', 'step_2'],
  ['run_step2', 'run_step1'],
  ['delete_note', 'read_note'],
  ['note_read_all', 'note_read'],
  ['', 'read'],
  ['___', 'read'],
])('%s never stands for %s', (written, name) => {
  expect(snapped(written, [name])).toBeNull();
});

test('what fits two tools stands for neither', () => {
  expect(snapped('readnote', ['read_note', 'read-note'])).toBeNull();
  expect(snapped('search_databses', ['search_database', 'search_databases'])).toBeNull();
});

test("the reach is the policy's", () => {
  expect(snapped('readNote', ['read_note'], 'exact')).toBeNull();
  expect(snapped('search_databse', ['search_database'], 'spelling')).toBeNull();
  expect(snapped('searchDatabase', ['search_database'], 'spelling')).toBe('search_database');
});

// Measured to the end, each against each, this would take longer than a test may.
test('names the nearest tools of a thousand for hundreds of wrong names in one reply', {
  timeout: 5000,
}, () => {
  const tail = 'atoolwhosenameisaslongasnamesmaybesothatitcostsmuchtomeasure';
  const tools = Array.from({ length: 1000 }, (_, index) => ({
    name: `${tail}_${index}`,
    description: '',
    parameters: null,
  }));
  const calls = Array.from({ length: 300 }, (_, index) => ({
    id: `c${index}`,
    name: index === 299 ? `${tail}_x99` : `${'nothing like it '.repeat(9)}${index}`,
    arguments: '{}',
  }));
  const { decision } = inspectReply(
    {
      content: null,
      reasoning: null,
      tool_calls: calls,
      finish_reason: 'stop',
      usage: null,
      provider_model: null,
    },
    { tools, policy: { ...defaultPolicy, maxCalls: 300 }, state: initialGuardState },
  );
  const last = decision.kind === 'calls' ? decision.calls.at(-1) : undefined;
  expect(last).toHaveProperty('reason', 'unknown-tool');
  expect(last).toHaveProperty('message', expect.stringContaining(`${tail}_99`));
});
