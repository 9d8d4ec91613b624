import type { Diagnostic } from '@millforge/contracts';
import { SOURCE_LIMITS } from '@millforge/source';
import { report } from '../diagnostics.ts';
import { errorType } from '../error-type.ts';
import { faultConstructor } from './read-harness.ts';

/** The JSON text of a value, or why it has none. */
export type WrittenValue =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

/**
 * Writes what a program gave as JSON text; each property is read once, and what reading throws is an answer.
 *
 * Stops at the limits of a source, so that no value is too deep or too large to be looked at.
 */
export function writeValue(value: unknown): WrittenValue {
  const writer: Writer = { path: [], ancestors: new Set(), entries: 0, chars: 0, fault: null };
  const text = write(value, writer);
  return writer.fault === null ? { ok: true, text } : { ok: false, diagnostic: writer.fault };
}

interface Writer {
  readonly path: (string | number)[];
  /** The containers that are being written. */
  readonly ancestors: Set<unknown>;
  entries: number;
  /** Characters of texts and keys so far; never more than the text will have bytes. */
  chars: number;
  /** The first thing that is wrong; nothing is written past it. */
  fault: Diagnostic | null;
}

function write(given: unknown, writer: Writer): string {
  try {
    const value = plainForm(given, writer);
    switch (typeof value) {
      case 'string':
        return writeText(value, writer);
      case 'number':
        return Number.isFinite(value) ? String(value) : refuse(writer, 'NaN or an infinity');
      case 'boolean':
        return String(value);
      case 'object':
        return value === null ? 'null' : writeContainer(value, writer);
      case 'bigint':
        return refuseBigint(writer);
      case 'undefined':
      case 'function':
      case 'symbol':
      default:
        return refuse(writer, `a value of type ${typeof value}`);
    }
  } catch (error) {
    return refuse(writer, `a value that throws ${errorType(error)} when it is read`);
  }
}

/** Gives what an instance such as a date stands for in JSON. */
function plainForm(value: unknown, { path }: Writer): unknown {
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  const { toJSON } = value;
  return typeof toJSON === 'function'
    ? (Reflect.apply(toJSON, value, [String(path.at(-1) ?? '')]) as unknown)
    : value;
}

function writeText(text: string, writer: Writer): string {
  writer.chars += text.length;
  if (text.length > SOURCE_LIMITS.maxScalarBytes) {
    return exceed(writer, 'Scalar exceeds parser UTF-8 size limit.');
  }
  if (writer.chars > SOURCE_LIMITS.maxBytes) {
    const hint = 'Split the document, or shorten its texts.';
    return stop(writer, report.valueTooLarge({ path: '/', hint }));
  }
  return JSON.stringify(text);
}

function writeContainer(value: object, writer: Writer): string {
  if (writer.ancestors.has(value)) {
    return exceed(writer, TOO_DEEP, 'The value contains itself here: write it out, or remove it.');
  }
  if (writer.ancestors.size >= SOURCE_LIMITS.maxDepth) return exceed(writer, TOO_DEEP);
  writer.ancestors.add(value);
  const text = Array.isArray(value) ? writeList(value, writer) : writeMapping(value, writer);
  writer.ancestors.delete(value);
  return text;
}

function writeList(list: readonly unknown[], writer: Writer): string {
  const { length } = list;
  const items: string[] = [];
  for (let index = 0; index < length && writer.fault === null; index += 1) {
    items.push(writeChild(index, () => list[index], writer));
  }
  return `[${items.join(',')}]`;
}

function writeMapping(mapping: object, writer: Writer): string {
  const entries: string[] = [];
  for (const key of Object.keys(mapping)) {
    if (writer.fault !== null) break;
    const text = writeChild(key, () => Reflect.get(mapping, key) as unknown, writer);
    if (text !== ABSENT) entries.push(`${writeText(key, writer)}:${text}`);
  }
  return `{${entries.join(',')}}`;
}

function writeChild(key: string | number, read: () => unknown, writer: Writer): string {
  writer.path.push(key);
  const text = readChild(key, read, writer);
  writer.path.pop();
  return text;
}

function readChild(key: string | number, read: () => unknown, writer: Writer): string {
  let child: unknown;
  try {
    child = read();
  } catch (error) {
    return refuse(writer, `a value that throws ${errorType(error)} when it is read`);
  }
  // A program says with undefined that it leaves a field out.
  if (child === undefined && typeof key === 'string') return ABSENT;
  writer.entries += 1;
  return writer.entries > SOURCE_LIMITS.maxEntries
    ? exceed(writer, 'Total mapping/list entries exceed parser limit.')
    : write(child, writer);
}

function refuse(writer: Writer, what: string): string {
  const message = 'Source value cannot be written as JSON.';
  const hint = `Expected plain data, found ${what}.`;
  return stop(
    writer,
    report.valueMalformed({ path: pointerOf(writer), hint, fields: { message } }),
  );
}

function refuseBigint(writer: Writer): string {
  const path = pointerOf(writer);
  const hint = 'Expected plain data, found a bigint: write a number or a text.';
  const word = faultConstructor({ path: writer.path });
  return stop(writer, word({ path, hint, fields: { field_path: path } }));
}

function exceed(writer: Writer, message: string, hint?: string): string {
  const place = { path: pointerOf(writer), ...(hint === undefined ? {} : { hint }) };
  return stop(writer, report.valueLimit({ ...place, fields: { message } }));
}

function stop(writer: Writer, fault: Diagnostic): string {
  writer.fault ??= fault;
  return ABSENT;
}

function pointerOf({ path }: Writer): string {
  const steps = path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
  return `/${steps.join('/')}`;
}

const TOO_DEEP = 'Nesting depth exceeds parser limit.';

/** Stands for a field that is left out, and for everything past a fault; no JSON text is empty. */
const ABSENT = '';
