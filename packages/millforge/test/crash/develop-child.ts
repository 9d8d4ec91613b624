import { createMillforge } from 'millforge';
import { developContract, MODEL, routedFetch } from '../integration/develop-sample.ts';

// node child.mjs ORDER   starts or goes on with a development, and dies where the order says

/** Where a development lies, which server answers which phase, and where the process dies. */
export interface DevelopOrder {
  readonly candidate: string;
  readonly checks: string;
  readonly dataDir: string;
  /** Addresses of model servers, by phase. */
  readonly urls: Readonly<Record<string, string>>;
  /** An event of a phase, or the n-th task whose result is about to be recorded. */
  readonly die: { readonly phase: string; readonly event: string } | { readonly result: number };
}

const order: DevelopOrder = JSON.parse(process.argv[2] ?? '{}');
const { candidate, checks, dataDir, urls, die } = order;
let results = 0;
await using millforge = createMillforge({
  dataDir,
  env: { PATH: process.env['PATH'], HOME: dataDir },
  fetch: routedFetch(new Map(Object.entries(urls))),
  failpoint(name) {
    if (name !== 'before:record-result' || !('result' in die)) return;
    results += 1;
    if (results === die.result) process.kill(process.pid, 'SIGKILL');
  },
});
const run = await millforge.develop({
  contract: developContract(),
  candidate,
  checks,
  model: MODEL,
  onEvent(event, { phase }) {
    const isMeant = 'phase' in die && die.phase === phase && die.event === event.kind;
    if (isMeant && !event.replayed) process.kill(process.pid, 'SIGKILL');
  },
});
await run.result;
