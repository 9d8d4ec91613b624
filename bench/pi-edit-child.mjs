// node bench/pi-edit-child.mjs ours|theirs MEGABYTES: the median time of an edit at the end of a file, and its memory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ourCaller, piCaller } from './pi-callers.mjs';

const [side, megabytes] = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), 'millforge-bench-edit-'));
try {
  const call = side === 'ours' ? ourCaller(root) : await piCaller(root);
  const text = 'one of the lines of a file that is some megabytes long\n'.repeat(19_065);
  const edits = [{ oldText: 'the end', newText: 'THE END' }];
  const samples = [];
  let base = 0;
  for (let round = 0; round < 7; round += 1) {
    writeFileSync(join(root, 'long.txt'), '');
    for (let index = 0; index < Number(megabytes); index += 1) {
      writeFileSync(join(root, 'long.txt'), text, { flag: 'a' });
    }
    writeFileSync(join(root, 'long.txt'), 'the end\n', { flag: 'a' });
    globalThis.gc();
    // What the process takes before its first edit is not what an edit takes.
    if (round === 0) base = process.resourceUsage().maxRSS;
    const start = performance.now();
    await call('edit', { path: 'long.txt', edits }, root);
    samples.push(performance.now() - start);
  }
  const mb = (process.resourceUsage().maxRSS - base) / 1024;
  process.stdout.write(JSON.stringify({ ms: samples.toSorted((a, b) => a - b)[3], mb }));
} finally {
  rmSync(root, { recursive: true, force: true });
}
