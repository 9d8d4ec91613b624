import type {
  CustomToolImplementation,
  ImplementationLimits,
  RuntimeKind,
} from '../custom-tool-manifest.ts';
import { found } from '../diagnostics.ts';
import { type FieldReader, type ReadPlace, readFields } from './field-reader.ts';

/** Reads the code of a tool, which has to be there for exactly the kinds that carry it. */
export function readImplementation(
  value: unknown,
  kind: RuntimeKind,
  { path, report }: ReadPlace,
): CustomToolImplementation | null {
  const isCarried = kind === 'sandboxed_js' || kind === 'sandboxed_command';
  if (!isCarried) {
    if (value !== undefined) {
      const reason = `a tool of the kind ${kind} carries no code`;
      report(found.implementationMismatch({ path, fields: { reason } }));
    }
    return null;
  }
  const place = { path, report, complaint: found.implementationInvalid };
  if (kind === 'sandboxed_js') {
    const read = readFields(value, ['source', 'entry', 'limits'], place);
    return {
      kind,
      source: read.text('source', { maxBytes: SOURCE_BYTES }),
      entry: read.word('entry', { is: isName, expected: 'a name', absent: 'default' }),
      limits: readLimits(read, place),
    };
  }
  const read = readFields(value, COMMAND_FIELDS, place);
  return {
    kind,
    command: readCommand(read, place),
    workspace: read.oneOf('workspace', ['none', 'read', 'write'], { absent: 'none' }),
    environment: readEnvironment(read, place),
    output: read.oneOf('output', ['json', 'text'], { absent: 'json' }),
    limits: readLimits(read, place),
  };
}

function readCommand(
  read: FieldReader,
  { path, report }: ReadPlace,
): readonly [string, ...string[]] {
  const value = read.value('command');
  const words = Array.isArray(value) ? value : [];
  const areWords = words.every(
    (word) => typeof word === 'string' && !word.includes('\0') && word.length <= WORD_LENGTH,
  );
  const [program = '', ...rest] = words.map(String);
  if (areWords && program !== '' && rest.length < MAX_WORDS) return [program, ...rest];
  const expected = 'a program and its arguments, a list of texts';
  report(found.implementationInvalid({ path: `${path}/command`, fields: { expected } }));
  return ['true'];
}

function readEnvironment(
  read: FieldReader,
  { path, report }: ReadPlace,
): Readonly<Record<string, string>> {
  const value = read.value('environment', { absent: {} });
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const areVariables =
    typeof value === 'object' &&
    !Array.isArray(value) &&
    entries.every(
      ([name, text]) =>
        /^[A-Za-z_][A-Za-z0-9_]*$/u.test(name) && typeof text === 'string' && !text.includes('\0'),
    );
  if (areVariables) return Object.fromEntries(entries.map(([name, text]) => [name, String(text)]));
  const expected = 'texts by names of variables';
  report(found.implementationInvalid({ path: `${path}/environment`, fields: { expected } }));
  return {};
}

function readLimits(read: FieldReader, { path, report }: ReadPlace): ImplementationLimits {
  const fields = readFields(read.value('limits', { absent: {} }), Object.keys(MOST), {
    path: `${path}/limits`,
    report,
    complaint: found.implementationInvalid,
  });
  const limits: { [name: string]: number } = {};
  for (const [name, most] of Object.entries(MOST)) {
    if (fields.value(name) !== undefined) limits[name] = fields.integer(name, { most });
  }
  return limits;
}

function isName(text: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]{0,127}$/u.test(text);
}

const COMMAND_FIELDS = ['command', 'workspace', 'environment', 'output', 'limits'];
const SOURCE_BYTES = 262_144;
const WORD_LENGTH = 16_384;
const MAX_WORDS = 256;
const MOST = {
  memory_bytes: 2 ** 40,
  processes: 65_536,
  output_bytes: 2 ** 30,
  disk_bytes: 2 ** 40,
};
