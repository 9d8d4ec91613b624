import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv-draft-04';
import addFormats from 'ajv-formats';

const schema: object = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/sarif-2.1.0.schema.json'), 'utf8'),
);

// One of its patterns is none in Unicode mode.
const ajv = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false });
addFormats.default(ajv);
const accepts = ajv.compile(schema);

/** What the published schema of SARIF 2.1.0 finds wrong with a log. */
export function sarifProblems(log: unknown): readonly string[] {
  if (accepts(log)) return [];
  return (accepts.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath} ${message ?? ''}`,
  );
}
