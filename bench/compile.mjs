import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { compileHarness, toModelProfileCatalog } from '../packages/compiler/dist/index.js';
import { createMillforge } from '../packages/millforge/dist/index.js';
import { compare, report, timed } from './measure.mjs';

/** Compiling a harness against parsing the same text into a value. */
export async function benchCompile() {
  const text = readFileSync(
    new URL('../examples/08-coding-agent/harness.yaml', import.meta.url),
    'utf8',
  );
  const { catalog } = createMillforge({ dataDir: null });
  const profiles = toModelProfileCatalog(['example.coder']);
  const grants = [
    'unrestricted.filesystem.read',
    'unrestricted.filesystem.write',
    'unrestricted.process.execute',
    'terminal.intent',
  ];
  const compile = () => {
    const result = compileHarness(text, { catalog, profiles, request: { grants } });
    if (!result.ok) throw new Error(result.diagnostics[0]?.message);
  };
  const parse = () => parseDocument(text).toJS();
  report(
    'compile / yaml parseDocument + toJS',
    await compare(many(compile), many(parse), 15),
    'text',
  );
}

function many(work) {
  return () =>
    timed(() => {
      for (let count = 0; count < 200; count += 1) work();
    }, 200);
}
