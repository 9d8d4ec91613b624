import { sha256 } from '@millforge/contracts';
import { assemblePrompt, type PromptParts } from '@millforge/pi-tools';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

const LIMIT = 65_536;
const FOOTER = '\n\nRelative paths start in the working directory.';

test('tells neither a date nor a path of this machine unless it is asked to', () => {
  const plain = assemblePrompt();
  expect(plain.system_instructions).not.toMatch(/\d{4}-\d{2}-\d{2}|Working directory:/);
  expect(plain).toMatchObject({ prompt_date: null, truncated: false });
  const asked = assemblePrompt({ date: '2030-01-31', workingDirectory: 'C:\\work' });
  expect(asked.system_instructions).toMatch(
    /Current date: 2030-01-31\nWorking directory: C:\/work$/,
  );
  expect(asked.prompt_date).toBe('2030-01-31');
});

test('names the terminals that exist, and no others (D-14)', () => {
  expect(assemblePrompt().system_instructions).toMatch(/- block .*\n- submit .*\n- reject /);
  const { system_instructions: text } = assemblePrompt({
    terminals: [
      { result: 'PLAN_READY', disposition: 'success' },
      { result: 'PLAN_BLOCKED', disposition: 'blocked' },
    ],
  });
  expect(text).toContain('- terminal_plan_blocked (terminal_result PLAN_BLOCKED): something');
  expect(text).toContain('- terminal_plan_ready (terminal_result PLAN_READY): the task is done');
  expect(text).not.toMatch(/submit|\bblock\b|reject/);
});

test('puts body, appendix, instructions and footer in this order', () => {
  const { system_instructions: text } = assemblePrompt({
    systemPrompt: 'Body.',
    appendSystemPrompt: 'Appendix.',
    instructions: { files: [file('a"b/AGENTS.md', 'Be kind.\n')], system: null, append: null },
  });
  expect(text).toBe(
    `Body.\n\nAppendix.\n\n<project_context>\nInstructions of the user and of the project. Follow them where they bear on the task; later ones go before earlier ones.\n<project_instructions path="a&quot;b/AGENTS.md">\nBe kind.\n</project_instructions>\n</project_context>${FOOTER}`,
  );
});

test('takes the files of the project where the caller gives nothing', () => {
  const instructions = {
    files: [],
    system: { path: 'SYSTEM.md', content: 'From a file.' },
    append: { path: 'APPEND_SYSTEM.md', content: 'More.' },
  };
  expect(assemblePrompt({ instructions }).system_instructions).toBe(
    `From a file.\n\nMore.${FOOTER}`,
  );
  expect(assemblePrompt({ instructions, systemPrompt: 'Given.' }).system_instructions).toBe(
    `Given.\n\nMore.${FOOTER}`,
  );
});

test.each<[string, PromptParts]>([
  ['body', { systemPrompt: 'x'.repeat(LIMIT), appendSystemPrompt: 'y' }],
  ['appendix', { systemPrompt: 'x'.repeat(60_000), appendSystemPrompt: 'y'.repeat(60_000) }],
  ['context', { systemPrompt: 'x'.repeat(30_000), instructions: big(40_000) }],
])('cuts the %s to the room and keeps the footer', (_name, parts) => {
  const prompt = assemblePrompt(parts);
  expect(prompt).toMatchObject({ byte_count: LIMIT, truncated: true });
  expect(prompt.system_instructions.endsWith(FOOTER)).toBe(true);
});

test('never exceeds its limit, never loses its footer, and closes what it opens', () => {
  const length = fc.integer({ min: 0, max: 70_000 });
  const unit = fc.constantFrom('x', 'é', '𝄞');
  fc.assert(
    fc.property(length, length, unit, (body, context, character) => {
      const text = (bytes: number) => character.repeat(bytes / Buffer.byteLength(character));
      const prompt = assemblePrompt({
        systemPrompt: text(Math.min(body, LIMIT)) || 'x',
        instructions: {
          files: [file('A', text(context)), file('B', 'b')],
          system: null,
          append: null,
        },
      });
      const { system_instructions: all, byte_count: bytes } = prompt;
      expect(bytes).toBe(Buffer.byteLength(all));
      expect(bytes).toBeLessThanOrEqual(LIMIT);
      expect(all.endsWith(FOOTER)).toBe(true);
      expect(all.includes('\uFFFD')).toBe(false);
      expect(count(all, '<project_')).toBe(count(all, '</project_'));
      expect(prompt.truncated).toBe(!all.includes('\nb\n'));
      expect(prompt.effective_prompt_sha256).toBe(sha256(all));
    }),
    { numRuns: 40 },
  );
});

test.each<[string, PromptParts]>([
  ['a blank prompt', { systemPrompt: ' \n' }],
  ['a prompt that is too long', { appendSystemPrompt: 'x'.repeat(LIMIT + 1) }],
  ['a date that is none', { date: 'today' }],
  ['a directory that fills the prompt', { workingDirectory: 'x'.repeat(LIMIT) }],
  ['no terminal', { terminals: [] }],
])('refuses %s', (_name, parts) => {
  expect(() => assemblePrompt(parts)).toThrow(
    expect.objectContaining({ code: 'pi-tools/invalid-option' }),
  );
});

function file(path: string, content: string) {
  return {
    scope: 'project',
    path,
    content,
    raw_sha256: '',
    original_byte_count: 0,
    included_byte_count: 0,
    truncated: false,
  } as const;
}

function big(bytes: number) {
  return { files: [file('AGENTS.md', 'z'.repeat(bytes))], system: null, append: null };
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
