import { deepFreeze, sha256 } from '@millforge/contracts';
import { type BaseTerminal, chooseTerminals } from './base-terminals.ts';
import { cutUtf8, utf8Length } from './cut-utf8.ts';
import type { InstructionRecord, InstructionSnapshot } from './instruction-snapshot.ts';
import { invalidOption } from './invalid-option.ts';
import { plainText } from './plain-text.ts';
import { promptBody } from './prompt-body.ts';

/** What a system prompt is made of; everything has a default. */
export interface PromptParts {
  /** What was found in the project and in the home of the user; default nothing. */
  readonly instructions?: Pick<InstructionSnapshot, 'files' | 'system' | 'append'>;
  /** How a run may end; default COMPLETE, BLOCKED, REJECTED. */
  readonly terminals?: readonly BaseTerminal[];
  /** Stands in for the built-in body and for `SYSTEM.md`; at most 65,536 bytes. */
  readonly systemPrompt?: string;
  /** Follows the body, in place of `APPEND_SYSTEM.md`; at most 65,536 bytes. */
  readonly appendSystemPrompt?: string;
  /** Date to be told, `YYYY-MM-DD`; default none, so that the plan is the same tomorrow. */
  readonly date?: string;
  /** Working directory to be told; default none, so that the plan is the same in another place. */
  readonly workingDirectory?: string;
}

/** A system prompt and what became of its parts. */
export interface PromptSnapshot {
  /** The prompt, at most 65,536 bytes in UTF-8. */
  readonly system_instructions: string;
  /** Digest of exactly these bytes. */
  readonly effective_prompt_sha256: string;
  /** Their number. */
  readonly byte_count: number;
  /** The date that it tells; null for none. */
  readonly prompt_date: string | null;
  /** Whether anything was cut or left out. */
  readonly truncated: boolean;
}

/**
 * Puts the system prompt together: body, appendix, project instructions, footer.
 *
 * The footer is never lost; of the rest, what comes first has the room first.
 *
 * @throws `pi-tools/invalid-option` for a blank or too long prompt, a wrong date, or a footer without room.
 */
export function assemblePrompt(parts: PromptParts = {}): PromptSnapshot {
  const { instructions, date } = parts;
  const body = checkedPrompt(parts.systemPrompt, 'systemPrompt') ?? instructions?.system?.content;
  const append =
    checkedPrompt(parts.appendSystemPrompt, 'appendSystemPrompt') ?? instructions?.append?.content;
  const footer = `\n\n${footerOf(parts)}`;
  if (utf8Length(footer) >= MAX_PROMPT_BYTES) {
    throw invalidOption(`The working directory fills the prompt; it must be a path.`);
  }
  const page = new Page(MAX_PROMPT_BYTES - utf8Length(footer));
  page.add(plainText(body ?? promptBody(chooseTerminals(parts.terminals))));
  if (append !== undefined) page.add(plainText(append), '\n\n');
  addContext(page, instructions?.files ?? []);
  const text = `${page.text}${footer}`;
  return deepFreeze({
    system_instructions: text,
    effective_prompt_sha256: sha256(text),
    byte_count: utf8Length(text),
    prompt_date: date ?? null,
    truncated: page.isCut,
  });
}

/** Text that grows until its room is used up; once something was cut, nothing follows. */
class Page {
  text = '';
  isCut = false;
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  /** Adds a text between its frame, cut to the room; the frame comes whole or not at all. */
  add(text: string, before = '', after = ''): void {
    if (this.isCut) return;
    const room = this.#room - utf8Length(before) - utf8Length(after);
    const fitting = cutUtf8(text, room);
    this.isCut = fitting.length < text.length || room < 0;
    if (room < 0 || (fitting === '' && text !== '')) return;
    this.#write(`${before}${fitting}${after}`);
  }

  /** Puts room aside for a text that is added at the end. */
  reserve(text: string): void {
    this.#room -= utf8Length(text);
  }

  /** Adds a text for which room was put aside. */
  addReserved(text: string): void {
    this.text += text;
  }

  has(bytes: number): boolean {
    return this.#room >= bytes;
  }

  #write(text: string): void {
    this.text += text;
    this.#room -= utf8Length(text);
  }
}

function addContext(page: Page, files: readonly InstructionRecord[]): void {
  if (files.length === 0 || page.isCut) return;
  if (!page.has(utf8Length(CONTEXT_OPEN) + utf8Length(CONTEXT_CLOSE))) {
    page.isCut = true;
    return;
  }
  page.reserve(CONTEXT_CLOSE);
  page.add(CONTEXT_OPEN);
  for (const { path, content } of files) {
    const open = `<project_instructions path="${attribute(path)}">\n`;
    page.add(content.replace(/\n+$/, ''), open, '\n</project_instructions>\n');
  }
  page.addReserved(CONTEXT_CLOSE);
}

function footerOf({ date, workingDirectory }: PromptParts): string {
  if (date !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(date)) {
    throw invalidOption(`The date must be like 2030-01-31; it was '${date.slice(0, 40)}'.`);
  }
  const lines = ['Relative paths start in the working directory.'];
  if (date !== undefined) lines.push(`Current date: ${date}`);
  if (workingDirectory !== undefined) {
    const path = plainText(workingDirectory).replaceAll('\\', '/').replaceAll('\n', '\uFFFD');
    lines.push(`Working directory: ${path}`);
  }
  return lines.join('\n');
}

function checkedPrompt(text: string | undefined, name: string): string | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && text.trim() !== '' && utf8Length(text) <= MAX_PROMPT_BYTES) {
    return text;
  }
  throw invalidOption(
    `${name} must be a text that is not blank, of at most ${MAX_PROMPT_BYTES} bytes.`,
  );
}

// A folder may have any name, also one that looks like the end of the element.
function attribute(path: string): string {
  return plainText(path)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '\uFFFD');
}

const CONTEXT_OPEN =
  '\n\n<project_context>\nInstructions of the user and of the project. Follow them where they bear on the task; later ones go before earlier ones.\n';
const CONTEXT_CLOSE = '</project_context>';
const MAX_PROMPT_BYTES = 65_536;
